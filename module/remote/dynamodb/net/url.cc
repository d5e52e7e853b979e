#include "remote/dynamodb/net/url.h"

#include <algorithm>
#include <cstdlib>

#include "base/text.h"

namespace laurel::dynamodb {

namespace {

constexpr std::string_view kScheme = "dynamodb://";
constexpr std::size_t kTableBytesMin = 3;  // DynamoDB's limits
constexpr std::size_t kTableBytesMax = 255;
constexpr std::size_t kRegionBytesMax = 64;
constexpr std::size_t kEndpointBytesMax = 255;

bool is_lower_or_digit(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); }

bool is_region(std::string_view text) {
  return !text.empty() && text.size() <= kRegionBytesMax &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return is_lower_or_digit(c) || c == '-'; });
}

bool is_table(std::string_view text) {
  return text.size() >= kTableBytesMin && text.size() <= kTableBytesMax &&
         std::all_of(text.begin(), text.end(), [](char c) {
           return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '_' || c == '-' ||
                  c == '.';
         });
}

bool is_here(std::string_view host) {
  return host == "localhost" || host == "[::1]" || host.starts_with("127.");
}

// Allows a scheme, host and port only; no user.
Status check_endpoint(std::string_view endpoint, bool& local) {
  const bool plain = endpoint.starts_with("http://");
  if (!plain && !endpoint.starts_with("https://")) {
    return Refusal(Code::invalid, "a DynamoDB endpoint begins with http:// or https://");
  }
  const std::string_view where = endpoint.substr(endpoint.find("://") + 3);
  const bool clean = std::all_of(where.begin(), where.end(), [](char c) {
    return is_lower_or_digit(c) || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' || c == ':' ||
           c == '[' || c == ']';
  });
  if (where.empty() || !clean || endpoint.size() > kEndpointBytesMax) {
    return Refusal(Code::invalid, "a DynamoDB endpoint is http://host:port, without user or path");
  }
  const std::size_t port = where.starts_with('[') ? where.find(']') + 1 : where.find(':');
  local = is_here(where.substr(0, port));
  if (plain && !local) {
    return Refusal(Code::invalid,
                   "a DynamoDB endpoint on another machine begins with https://: http:// shows "
                   "players' data to the network");
  }
  return Done{};
}

}  // namespace

std::optional<std::string> system_environment(const char* name) {
  const char* value = std::getenv(name);  // NOLINT: read once, before this library starts threads
  if (value == nullptr || *value == '\0') return std::nullopt;
  return value;
}

Result<Place> read_url(std::string_view url, const Environment& environment) {
  if (!url.starts_with(kScheme)) {
    return Refusal(Code::invalid, "a DynamoDB URL begins with {}", kScheme);
  }
  std::string_view rest = url.substr(kScheme.size());
  Place place;
  if (const std::size_t query = rest.find('?'); query != std::string_view::npos) {
    constexpr std::string_view kEndpoint = "endpoint=";
    const std::string_view given = rest.substr(query + 1);
    if (!given.starts_with(kEndpoint)) {
      return Refusal(Code::invalid, "a DynamoDB URL takes ?endpoint=http://host:port only");
    }
    place.endpoint = given.substr(kEndpoint.size());
    if (place.endpoint.ends_with('/')) place.endpoint.pop_back();
    if (const Status valid = check_endpoint(place.endpoint, place.local); !valid) {
      return valid.refusal();
    }
    rest = rest.substr(0, query);
  }
  const std::size_t slash = rest.find('/');
  place.region = rest.substr(0, slash);
  if (slash != std::string_view::npos) place.table = rest.substr(slash + 1);
  if (!is_region(place.region) || !is_table(place.table)) {
    return Refusal(Code::invalid,
                   "a DynamoDB URL is dynamodb://region/table: a region as \"eu-west-1\", and a "
                   "table of {} to {} letters, digits, '_', '-' and '.'",
                   kTableBytesMin, kTableBytesMax);
  }
  if (place.endpoint.empty()) {
    place.endpoint = "https://dynamodb." + place.region + ".amazonaws.com";
  }
  const auto key = environment("AWS_ACCESS_KEY_ID");
  const auto secret = environment("AWS_SECRET_ACCESS_KEY");
  if (key && secret) {
    place.credentials = {*key, *secret, environment("AWS_SESSION_TOKEN").value_or("")};
  } else if (place.local) {
    place.credentials = {"local", "local", ""};
  } else {
    return Refusal(Code::invalid,
                   "DynamoDB needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY in the environment");
  }
  return place;
}

}  // namespace laurel::dynamodb
