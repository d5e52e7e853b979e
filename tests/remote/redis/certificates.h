// certificates.h - an authority for a test, and the certificates that it signs, in a folder that is
// deleted with it.
#pragma once

#include <string>
#include <vector>

namespace laurel {

struct CertificateFiles {
  std::string cert;
  std::string key;
};

class CertificateAuthority {
 public:
  // Authorities of one name are told apart by their keys alone.
  explicit CertificateAuthority(const std::string& name = "authority.example");
  ~CertificateAuthority();
  CertificateAuthority(const CertificateAuthority&) = delete;
  CertificateAuthority& operator=(const CertificateAuthority&) = delete;

  // Its own certificate.
  const CertificateFiles& own() const { return own_; }
  const std::string& folder() const { return folder_; }

  struct Validity {
    long from_hours = -1;  // from now
    long to_hours = 24;
  };
  // For names of hosts and IPv4 addresses, signed by this authority.
  CertificateFiles issue(const std::vector<std::string>& names) { return issue(names, Validity()); }
  CertificateFiles issue(const std::vector<std::string>& names, Validity validity);
  CertificateFiles issue_self_signed(const std::vector<std::string>& names);
  // A copy of the key that asks for a passphrase.
  std::string locked(const std::string& key);
  // A file with these bytes.
  std::string write(const std::string& name, const std::string& bytes);

 private:
  CertificateFiles make(const std::vector<std::string>& names, Validity validity,
                        const CertificateFiles* issuer, bool is_authority);

  std::string folder_;
  int made_ = 0;
  CertificateFiles own_;
};

}  // namespace laurel
