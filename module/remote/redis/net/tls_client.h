// tls_client.h - what all connections to one Redis share for TLS: the trusted certificates, and our
// own certificate.
//
//   trust     the authorities in `ca`, and no others; without it those of the system, which
//             SSL_CERT_FILE and SSL_CERT_DIR of the environment replace. A server's own certificate
//             may be in `ca`, too: then this server is trusted.
//   check     every server's certificate is checked: its signature, its dates, and its name
//             (tls_session.h). There is no way to switch that off.
//   own       `cert` and `key`, for servers that want a certificate of their clients: in `cert` the
//             certificate, and after it those between it and the authority, if any.
//   files     PEM, of at most kTlsFileBytesMax, read once, in open(). A new certificate is used by
//             a registry that is opened again. A key with a passphrase is refused.
//   protocol  TLS 1.2 and 1.3. Ciphers and key sizes are as the system's openssl.cnf says.
//   secrets   refusals show the paths of files, never what is in them.
//   library   OpenSSL 3 (tls_library.h).
//   threads   open() on any; the result is used by one.
#pragma once

#include <memory>
#include <utility>

#include "base/result.h"
#include "remote/redis/net/url.h"

struct ssl_ctx_st;  // OpenSSL's SSL_CTX

namespace laurel::redis {

class TlsClient {
 public:
  // Reads the files. Fails with invalid: one cannot be read, has not what it should have, or the
  // key is not the certificate's. Fails with unsupported: tls_library.h.
  static Result<std::shared_ptr<const TlsClient>> open(const TlsOptions& options);
  ~TlsClient();
  TlsClient(const TlsClient&) = delete;
  TlsClient& operator=(const TlsClient&) = delete;

  ssl_ctx_st* context() const { return context_; }
  const TlsOptions& options() const { return options_; }

 private:
  explicit TlsClient(TlsOptions options) : options_(std::move(options)) {}
  Status prepare();

  const TlsOptions options_;
  ssl_ctx_st* context_ = nullptr;
};

}  // namespace laurel::redis
