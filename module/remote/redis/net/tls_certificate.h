// tls_certificate.h - what is wrong with a server's certificate, as a sentence for operators.
//
//   escapes   what the certificate says of itself is a stranger's text: it is escaped and cut.
//   threads   none.
#pragma once

#include <string>

#include "remote/redis/net/url.h"

struct x509_store_ctx_st;  // OpenSSL's X509_STORE_CTX

namespace laurel::redis {

// REQUIRES: called while OpenSSL verifies, after it has found something wrong. `expected` is the
// name that the certificate should have.
std::string wrong_certificate(x509_store_ctx_st& verifying, const std::string& expected,
                              const TlsOptions& options);

}  // namespace laurel::redis
