#include "remote/redis/net/url.h"

#include <charconv>
#include <cstdlib>
#include <optional>

#include "base/text.h"
#include "remote/limits.h"

namespace laurel::redis {

namespace {

std::optional<int> hex_digit(char digit) {
  if (digit >= '0' && digit <= '9') return digit - '0';
  if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
  if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
  return std::nullopt;
}

std::optional<std::string> decoded(std::string_view text) {
  std::string bytes;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      bytes += text[i];
      continue;
    }
    if (i + 2 >= text.size()) return std::nullopt;
    const std::optional<int> high = hex_digit(text[i + 1]);
    const std::optional<int> low = hex_digit(text[i + 2]);
    if (!high || !low) return std::nullopt;
    bytes += static_cast<char>(*high * 16 + *low);
    i += 2;
  }
  return bytes;
}

std::string from_environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

Result<Address> parse_address(std::string_view text) {
  const Refusal wrong(Code::invalid,
                      "a remote's host is \"host:port\" with a port of 1 to 65535, not \"{}\"",
                      escaped(text, 64));
  Address address;
  std::string_view port;
  if (text.starts_with('[')) {
    const std::size_t end = text.find(']');
    if (end == std::string_view::npos) return wrong;
    address.host = text.substr(1, end - 1);
    const std::string_view rest = text.substr(end + 1);
    if (!rest.empty() && (rest[0] != ':' || rest.size() == 1)) return wrong;
    if (!rest.empty()) port = rest.substr(1);
  } else {
    const std::size_t colon = text.find(':');
    address.host = text.substr(0, colon);
    if (colon != std::string_view::npos) {
      port = text.substr(colon + 1);
      if (port.empty()) return wrong;
    }
  }
  if (address.host.empty() || address.host.find('\0') != std::string::npos) return wrong;
  if (!port.empty()) {
    const auto end = std::from_chars(port.data(), port.data() + port.size(), address.port);
    if (end.ec != std::errc() || end.ptr != port.data() + port.size() || address.port == 0) {
      return wrong;
    }
  }
  return address;
}

Refusal wrong_options(const Url& url) {
  if (!url.tls) {
    return {
        Code::invalid,
        "after ?, a redis:// URL takes copies=N only, with N from 0 to {}; rediss:// takes more",
        kRedisCopiesMax};
  }
  return {Code::invalid,
          "after ?, a rediss:// URL takes copies=N (0 to {}), ca=FILE, cert=FILE and key=FILE "
          "together, and name=HOST, each once, with & between them",
          kRedisCopiesMax};
}

// The option of TLS with this name; null if there is none.
std::string* tls_option(Url& url, std::string_view name) {
  if (!url.tls) return nullptr;
  if (name == "ca") return &url.tls->ca;
  if (name == "cert") return &url.tls->cert;
  if (name == "key") return &url.tls->key;
  if (name == "name") return &url.tls->name;
  return nullptr;
}

std::optional<unsigned> read_copies(std::string_view text) {
  unsigned copies = 0;
  const char* const end = text.data() + text.size();
  const auto read = std::from_chars(text.data(), end, copies);
  const bool is_number = read.ec == std::errc() && read.ptr == end;
  return is_number && copies <= kRedisCopiesMax ? std::optional(copies) : std::nullopt;
}

bool read_option(Url& url, std::string_view option) {
  const std::size_t equals = option.find('=');
  if (equals == std::string_view::npos) return false;
  const std::string_view name = option.substr(0, equals);
  const std::optional<std::string> value = decoded(option.substr(equals + 1));
  if (!value || value->empty() || value->find('\0') != std::string::npos) return false;
  if (name == "copies") {
    const bool is_first = !url.copies;
    url.copies = read_copies(*value);
    return is_first && url.copies;
  }
  std::string* const place = tls_option(url, name);
  const std::size_t most = name == "name" ? kTlsNameBytesMax : kTlsPathBytesMax;
  if (place == nullptr || !place->empty() || value->size() > most) return false;
  *place = *value;
  return true;
}

// Parses the part of a URL after the ?.
Status read_options(Url& url, std::string_view text) {
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find('&', begin), text.size());
    if (!read_option(url, text.substr(begin, end - begin))) return wrong_options(url);
    begin = end + 1;
  }
  if (url.tls && url.tls->cert.empty() != url.tls->key.empty()) return wrong_options(url);
  return Done{};
}

}  // namespace

std::string shown(const Address& address) {
  const bool is_v6 = address.host.find(':') != std::string::npos;
  return is_v6 ? fmt::format("[{}]:{}", address.host, address.port)
               : fmt::format("{}:{}", escaped(address.host, 64), address.port);
}

Result<Url> parse_url(std::string_view text) {
  constexpr std::string_view kPlain = "redis://";
  constexpr std::string_view kTls = "rediss://";
  const bool has_tls = text.starts_with(kTls);
  if (!has_tls && !text.starts_with(kPlain)) {
    return Refusal(Code::invalid,
                   "a Redis URL is redis://host:port[,host:port...], or rediss:// for TLS");
  }
  text.remove_prefix(has_tls ? kTls.size() : kPlain.size());
  Url url{.hosts = {},
          .user = from_environment("LAUREL_REDIS_USER"),
          .password = from_environment("LAUREL_REDIS_PASSWORD"),
          .copies = std::nullopt,
          .tls = has_tls ? std::optional(TlsOptions()) : std::nullopt};
  if (const std::size_t at = text.rfind('@'); at != std::string_view::npos) {
    const std::string_view who = text.substr(0, at);
    const std::size_t colon = who.find(':');
    const auto user = decoded(who.substr(0, colon));
    const auto password =
        decoded(colon == std::string_view::npos ? std::string_view() : who.substr(colon + 1));
    if (!user || !password || password->empty()) {
      return Refusal(Code::invalid,
                     "before @, a Redis URL takes [user]:password, with bytes other than letters "
                     "and digits as %XX");
    }
    url.user = *user;
    url.password = *password;
    text.remove_prefix(at + 1);
  }
  if (const std::size_t mark = text.find('?'); mark != std::string_view::npos) {
    if (const Status read = read_options(url, text.substr(mark + 1)); !read) return read.refusal();
    text = text.substr(0, mark);
  }
  if (text.ends_with('/')) text.remove_suffix(1);
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    const Result<Address> address = parse_address(text.substr(begin, end - begin));
    if (!address) return address.refusal();
    url.hosts.push_back(*address);
    begin = end + 1;
  }
  if (url.hosts.size() > kRedisHostsMax) {
    return Refusal(Code::invalid, "a Redis URL names {} hosts; at most {} are allowed",
                   url.hosts.size(), kRedisHostsMax);
  }
  return url;
}

}  // namespace laurel::redis
