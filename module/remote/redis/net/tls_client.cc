#include "remote/redis/net/tls_client.h"

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/ssl.h>
#include <openssl/x509.h>
#include <sys/stat.h>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/text.h"
#include "remote/limits.h"
#include "remote/redis/net/tls_library.h"

namespace laurel::redis {

namespace {

struct FreeOpenSsl {
  void operator()(BIO* bio) const { BIO_free(bio); }
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
};
template <typename T>
using Owned = std::unique_ptr<T, FreeOpenSsl>;
using Certificates = std::vector<Owned<X509>>;

// The bytes of a file that may hold a key: they are overwritten in the end.
struct SecretBytes {
  ~SecretBytes() { OPENSSL_cleanse(bytes.data(), bytes.size()); }
  std::vector<char> bytes;
};

Refusal wrong_file(std::string_view what, const std::string& path, std::string_view why) {
  return {Code::invalid, "the {} of rediss://, \"{}\", {}", what, escaped(path, 80), why};
}

Status read_tls_file(std::string_view what, const std::string& path, SecretBytes& into) {
  const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  struct stat about {};
  if (file.get() < 0 || ::fstat(file.get(), &about) != 0) {
    return wrong_file(what, path, fmt::format("cannot be read: {}", std::strerror(errno)));
  }
  if (!S_ISREG(about.st_mode)) return wrong_file(what, path, "is not a file");
  const auto size = static_cast<std::size_t>(about.st_size);
  if (size > kTlsFileBytesMax) {
    return wrong_file(what, path,
                      fmt::format("has {} bytes; the most is {}", size, kTlsFileBytesMax));
  }
  into.bytes.resize(size);
  std::size_t came = 0;
  while (came < size) {
    const ssize_t got = ::read(file.get(), into.bytes.data() + came, size - came);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      return wrong_file(what, path, fmt::format("cannot be read: {}", std::strerror(errno)));
    }
    if (got == 0) break;
    came += static_cast<std::size_t>(got);
  }
  into.bytes.resize(came);
  return Done{};
}

Owned<BIO> reader_of(const SecretBytes& file) {
  return Owned<BIO>(BIO_new_mem_buf(file.bytes.data(), static_cast<int>(file.bytes.size())));
}

// At least one.
Result<Certificates> read_certificates(std::string_view what, const std::string& path) {
  SecretBytes file;
  if (const Status read = read_tls_file(what, path, file); !read) return read.refusal();
  Certificates certificates;
  const Owned<BIO> reader = reader_of(file);
  while (X509* const next = PEM_read_bio_X509(reader.get(), nullptr, nullptr, nullptr)) {
    certificates.emplace_back(next);
  }
  const bool is_at_end = ERR_GET_REASON(ERR_peek_last_error()) == PEM_R_NO_START_LINE;
  if (!is_at_end) return wrong_file(what, path, "has a certificate that is damaged");
  if (certificates.empty()) return wrong_file(what, path, "has no certificate in PEM form");
  return certificates;
}

// Without this OpenSSL would ask on the terminal.
int no_passphrase(char*, int, int, void* asked) {
  *static_cast<bool*>(asked) = true;
  return -1;
}

Result<Owned<EVP_PKEY>> read_key(const std::string& path) {
  constexpr std::string_view kWhat = "key";
  SecretBytes file;
  if (const Status read = read_tls_file(kWhat, path, file); !read) return read.refusal();
  bool asked = false;
  Owned<EVP_PKEY> key(
      PEM_read_bio_PrivateKey(reader_of(file).get(), nullptr, no_passphrase, &asked));
  if (key) return key;
  if (asked) return wrong_file(kWhat, path, "has a passphrase: it takes a key without one");
  return wrong_file(kWhat, path, "has no key in PEM form");
}

Status trust(SSL_CTX* context, const std::string& path) {
  if (path.empty()) {
    SSL_CTX_set_default_verify_paths(context);
    return Done{};
  }
  const Result<Certificates> authorities = read_certificates("ca", path);
  if (!authorities) return authorities.refusal();
  X509_STORE* const store = SSL_CTX_get_cert_store(context);
  for (const Owned<X509>& each : *authorities) X509_STORE_add_cert(store, each.get());
  // A server's own certificate may be named, and an authority below another one.
  X509_STORE_set_flags(store, X509_V_FLAG_PARTIAL_CHAIN);
  return Done{};
}

Status introduce(SSL_CTX* context, const TlsOptions& options) {
  if (options.cert.empty()) return Done{};
  const Result<Certificates> chain = read_certificates("cert", options.cert);
  if (!chain) return chain.refusal();
  const Result<Owned<EVP_PKEY>> key = read_key(options.key);
  if (!key) return key.refusal();
  if (SSL_CTX_use_certificate(context, chain->front().get()) != 1) {
    return wrong_file("cert", options.cert, "is of a kind or size that this OpenSSL refuses");
  }
  for (std::size_t i = 1; i < chain->size(); ++i) {
    SSL_CTX_add1_chain_cert(context, (*chain)[i].get());
  }
  if (SSL_CTX_use_PrivateKey(context, key->get()) != 1 || SSL_CTX_check_private_key(context) != 1) {
    return wrong_file(
        "key", options.key,
        fmt::format("is not that of the certificate in \"{}\"", escaped(options.cert, 80)));
  }
  return Done{};
}

}  // namespace

Status TlsClient::prepare() {
  const TlsUse use;
  if (!use) return Refusal(Code::unavailable, "the process ends");
  const ErrorMark mark;
  context_ = SSL_CTX_new(TLS_client_method());
  if (context_ == nullptr) return Refusal(Code::unsupported, "OpenSSL has no TLS for clients");
  SSL_CTX_set_min_proto_version(context_, TLS1_2_VERSION);
  SSL_CTX_set_options(context_, SSL_OP_NO_RENEGOTIATION | SSL_OP_NO_COMPRESSION);
  // The send buffer of a connection grows, and so may move, while a part of it is under way.
  SSL_CTX_set_mode(context_, SSL_MODE_ENABLE_PARTIAL_WRITE | SSL_MODE_ACCEPT_MOVING_WRITE_BUFFER |
                                 SSL_MODE_AUTO_RETRY);
  SSL_CTX_set_session_cache_mode(context_, SSL_SESS_CACHE_OFF);
  if (Status trusted = trust(context_, options_.ca); !trusted) return trusted;
  return introduce(context_, options_);
}

Result<std::shared_ptr<const TlsClient>> TlsClient::open(const TlsOptions& options) {
  if (const Status begun = begin_tls(); !begun) return begun.refusal();
  const std::shared_ptr<TlsClient> client(new TlsClient(options));
  if (const Status prepared = client->prepare(); !prepared) return prepared.refusal();
  return std::shared_ptr<const TlsClient>(client);
}

TlsClient::~TlsClient() {
  if (const TlsUse use; use) SSL_CTX_free(context_);
}

}  // namespace laurel::redis
