#include "remote/redis/net/tls_certificate.h"

#include <arpa/inet.h>
#include <array>
#include <ctime>
#include <openssl/asn1.h>
#include <openssl/x509_vfy.h>
#include <openssl/x509v3.h>
#include <string_view>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "remote/limits.h"

namespace laurel::redis {

namespace {

constexpr std::size_t kShownBytesMax = 64;  // of one name

std::string moment_of(const ASN1_TIME* time) {
  std::tm parts{};
  if (time == nullptr || ASN1_TIME_to_tm(time, &parts) != 1) return "a day that cannot be read";
  return fmt::format("{:04}-{:02}-{:02} {:02}:{:02} UTC", parts.tm_year + 1900, parts.tm_mon + 1,
                     parts.tm_mday, parts.tm_hour, parts.tm_min);
}

std::string_view text_of_asn1(const ASN1_STRING* text) {
  return {reinterpret_cast<const char*>(ASN1_STRING_get0_data(text)),
          static_cast<std::size_t>(ASN1_STRING_length(text))};
}

std::string address_of(std::string_view bytes) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  const int family = bytes.size() == 4 ? AF_INET : AF_INET6;
  if (bytes.size() != 4 && bytes.size() != 16) return "an address that cannot be read";
  ::inet_ntop(family, bytes.data(), text.data(), text.size());
  return text.data();
}

std::vector<std::string> names_of(const X509* certificate) {
  std::vector<std::string> names;
  auto* const all = static_cast<GENERAL_NAMES*>(
      X509_get_ext_d2i(certificate, NID_subject_alt_name, nullptr, nullptr));
  for (int i = 0; i < sk_GENERAL_NAME_num(all); ++i) {
    const GENERAL_NAME* const name = sk_GENERAL_NAME_value(all, i);
    if (name->type == GEN_DNS) {
      names.push_back(escaped(text_of_asn1(name->d.dNSName), kShownBytesMax));
    } else if (name->type == GEN_IPADD) {
      names.push_back(address_of(text_of_asn1(name->d.iPAddress)));
    }
  }
  GENERAL_NAMES_free(all);
  if (!names.empty()) return names;
  // Certificates of old have their name in the subject.
  const X509_NAME* const subject = X509_get_subject_name(certificate);
  const int at = X509_NAME_get_index_by_NID(subject, NID_commonName, -1);
  if (at < 0) return names;
  const X509_NAME_ENTRY* const entry = X509_NAME_get_entry(subject, at);
  names.push_back(escaped(text_of_asn1(X509_NAME_ENTRY_get_data(entry)), kShownBytesMax));
  return names;
}

std::string other_name(const X509* certificate, const std::string& expected) {
  const std::vector<std::string> names = names_of(certificate);
  std::string shown_names;
  for (std::size_t i = 0; i < names.size() && i < kTlsNamesShown; ++i) {
    if (i > 0) shown_names += ", ";
    shown_names += fmt::format("\"{}\"", names[i]);
  }
  if (names.size() > kTlsNamesShown) {
    shown_names += fmt::format(" and {} more", names.size() - kTlsNamesShown);
  }
  if (names.empty()) shown_names = "none";
  return fmt::format("its certificate is of another name: it has {}, not \"{}\"", shown_names,
                     escaped(expected, kShownBytesMax));
}

std::string not_trusted(bool is_self_signed, const std::string& ca) {
  const std::string authorities = escaped(ca, kShownBytesMax);
  if (is_self_signed) {
    constexpr std::string_view kSelf = "its certificate is signed by itself, and";
    return ca.empty() ? fmt::format("{} this machine does not trust it; name it with ?ca=", kSelf)
                      : fmt::format("{} is not one of those in \"{}\"", kSelf, authorities);
  }
  return ca.empty()
             ? "its certificate is not signed by an authority that this machine trusts; name "
               "the authority with ?ca="
             : fmt::format("its certificate is signed by none of those in \"{}\"", authorities);
}

}  // namespace

std::string wrong_certificate(x509_store_ctx_st& verifying, const std::string& expected,
                              const TlsOptions& options) {
  const int error = X509_STORE_CTX_get_error(&verifying);
  const X509* const certificate = X509_STORE_CTX_get_current_cert(&verifying);
  const bool is_own = X509_STORE_CTX_get_error_depth(&verifying) == 0;
  const std::string_view whose = is_own ? "its certificate" : "the certificate of its authority";
  switch (error) {
    case X509_V_ERR_CERT_HAS_EXPIRED:
      return fmt::format("{} has expired on {}", whose, moment_of(X509_get0_notAfter(certificate)));
    case X509_V_ERR_CERT_NOT_YET_VALID:
      return fmt::format("{} is valid from {} on, which is later than this machine's clock", whose,
                         moment_of(X509_get0_notBefore(certificate)));
    case X509_V_ERR_HOSTNAME_MISMATCH:
    case X509_V_ERR_IP_ADDRESS_MISMATCH: return other_name(certificate, expected);
    case X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT:
    case X509_V_ERR_SELF_SIGNED_CERT_IN_CHAIN:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT:
    case X509_V_ERR_UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    case X509_V_ERR_UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    case X509_V_ERR_CERT_SIGNATURE_FAILURE:
    case X509_V_ERR_CERT_UNTRUSTED:
      return not_trusted(error == X509_V_ERR_DEPTH_ZERO_SELF_SIGNED_CERT, options.ca);
    default: return fmt::format("{} is refused: {}", whose, X509_verify_cert_error_string(error));
  }
}

}  // namespace laurel::redis
