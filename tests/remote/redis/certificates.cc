#include "certificates.h"

#include <cctype>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>
#include <stdexcept>

#include <fmt/core.h>

namespace laurel {

namespace {

struct FreeMade {
  void operator()(EVP_PKEY* key) const { EVP_PKEY_free(key); }
  void operator()(X509* certificate) const { X509_free(certificate); }
  void operator()(X509_EXTENSION* extension) const { X509_EXTENSION_free(extension); }
  void operator()(std::FILE* file) const { std::fclose(file); }
};
template <typename T>
using Made = std::unique_ptr<T, FreeMade>;

Made<std::FILE> opened(const std::string& path, const char* how) {
  Made<std::FILE> file(std::fopen(path.c_str(), how));
  if (!file) throw std::runtime_error("no file " + path);
  return file;
}

Made<EVP_PKEY> key_in(const std::string& path) {
  return Made<EVP_PKEY>(PEM_read_PrivateKey(opened(path, "r").get(), nullptr, nullptr, nullptr));
}

void extend(X509* certificate, X509* issuer, int kind, const std::string& value) {
  X509V3_CTX context;
  X509V3_set_ctx_nodb(&context);
  X509V3_set_ctx(&context, issuer, certificate, nullptr, nullptr, 0);
  const Made<X509_EXTENSION> extension(
      X509V3_EXT_nconf_nid(nullptr, &context, kind, value.c_str()));
  if (!extension) throw std::runtime_error("no extension " + value);
  X509_add_ext(certificate, extension.get(), -1);
}

std::string alternatives(const std::vector<std::string>& names) {
  std::string text;
  for (const std::string& name : names) {
    const bool is_address = std::isdigit(static_cast<unsigned char>(name.back())) != 0;
    if (!text.empty()) text += ',';
    text += (is_address ? "IP:" : "DNS:") + name;
  }
  return text;
}

}  // namespace

CertificateAuthority::CertificateAuthority(const std::string& name) {
  folder_ = (std::filesystem::temp_directory_path() / "laurel-ca-XXXXXX").string();
  if (::mkdtemp(folder_.data()) == nullptr) throw std::runtime_error("no folder " + folder_);
  own_ = make({name}, Validity(), nullptr, true);
}

CertificateAuthority::~CertificateAuthority() {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

CertificateFiles CertificateAuthority::issue(const std::vector<std::string>& names,
                                             Validity validity) {
  return make(names, validity, &own_, false);
}

CertificateFiles CertificateAuthority::issue_self_signed(const std::vector<std::string>& names) {
  return make(names, Validity(), nullptr, false);
}

CertificateFiles CertificateAuthority::make(const std::vector<std::string>& names,
                                            Validity validity, const CertificateFiles* issuer,
                                            bool is_authority) {
  const int number = ++made_;
  const Made<EVP_PKEY> key(EVP_EC_gen("P-256"));
  const Made<X509> certificate(X509_new());
  X509_set_version(certificate.get(), 2);  // which is version 3
  ASN1_INTEGER_set(X509_get_serialNumber(certificate.get()), number);
  X509_gmtime_adj(X509_getm_notBefore(certificate.get()), validity.from_hours * 3600);
  X509_gmtime_adj(X509_getm_notAfter(certificate.get()), validity.to_hours * 3600);
  X509_set_pubkey(certificate.get(), key.get());
  X509_NAME* const subject = X509_get_subject_name(certificate.get());
  X509_NAME_add_entry_by_txt(subject, "CN", MBSTRING_UTF8,
                             reinterpret_cast<const unsigned char*>(names.front().c_str()), -1, -1,
                             0);
  Made<X509> signer;
  Made<EVP_PKEY> signer_key;
  if (issuer != nullptr) {
    signer.reset(PEM_read_X509(opened(issuer->cert, "r").get(), nullptr, nullptr, nullptr));
    signer_key = key_in(issuer->key);
  }
  X509* const signs = signer ? signer.get() : certificate.get();
  X509_set_issuer_name(certificate.get(), X509_get_subject_name(signs));
  extend(certificate.get(), signs, NID_basic_constraints,
         is_authority ? "critical,CA:TRUE" : "critical,CA:FALSE");
  extend(certificate.get(), signs, NID_subject_alt_name, alternatives(names));
  X509_sign(certificate.get(), signer_key ? signer_key.get() : key.get(), EVP_sha256());

  const CertificateFiles files{fmt::format("{}/{}.pem", folder_, number),
                               fmt::format("{}/{}.key", folder_, number)};
  PEM_write_X509(opened(files.cert, "w").get(), certificate.get());
  PEM_write_PrivateKey(opened(files.key, "w").get(), key.get(), nullptr, nullptr, 0, nullptr,
                       nullptr);
  return files;
}

std::string CertificateAuthority::locked(const std::string& key) {
  std::string path = key + ".locked";
  std::string passphrase = "open sesame";
  PEM_write_PKCS8PrivateKey(opened(path, "w").get(), key_in(key).get(), EVP_aes_128_cbc(),
                            passphrase.data(), static_cast<int>(passphrase.size()), nullptr,
                            nullptr);
  return path;
}

std::string CertificateAuthority::write(const std::string& name, const std::string& bytes) {
  std::string path = folder_ + "/" + name;
  std::ofstream(path) << bytes;
  return path;
}

}  // namespace laurel
