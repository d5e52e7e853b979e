#include "web/options.h"

#include <CLI/CLI.hpp>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <unistd.h>
#include <utility>
#include <vector>

#include <fmt/core.h>

#include "base/text.h"
#include "base/version.h"

namespace laurel::web {

namespace {

constexpr int kWrong = 2;
constexpr std::size_t kViewersMax = 1'000'000;

// The options as they were written.
struct Written {
  std::string connect, listen = "127.0.0.1:8080", token_file, metrics;
  std::string rate = "10", viewers = "10000", viewers_per_address = "50";
  std::vector<std::string> boards, origins;
  bool behind_proxy = false;
};

Refusal wrong(std::string_view option, std::string_view value, std::string_view allowed) {
  return Refusal(Code::invalid, "{} {}: it takes {}", option, escaped(value, 100), allowed);
}

Result<HostPort> place(std::string_view option, const std::string& text, bool takes_zero) {
  const Result<HostPort> place = host_port_of(text);
  if (!place) return Refusal(Code::invalid, "{} {}", option, place.refusal().message());
  if (place->port == 0 && !takes_zero) return wrong(option, text, "a port from 1 to 65535");
  return place;
}

Result<double> rate_of(const std::string& text) {
  double rate = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), rate);
  const bool is_number = failed == std::errc() && end == text.data() + text.size();
  if (is_number && rate >= 1 && rate <= 20) return rate;
  return wrong("--rate", text, "a number from 1 to 20");
}

Result<std::size_t> count_of(std::string_view option, const std::string& text) {
  std::size_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  const bool is_number = failed == std::errc() && end == text.data() + text.size();
  if (is_number && count >= 1 && count <= kViewersMax) return count;
  return wrong(option, text, "a whole number from 1 to 1000000");
}

// An origin as browsers send it: scheme, host and perhaps a port.
Result<std::string> origin_of(std::string text) {
  const std::string written = text;
  if (text.ends_with('/')) text.pop_back();
  const std::size_t scheme = text.find("://");
  const bool is_web = text.starts_with("http://") || text.starts_with("https://");
  if (is_web && scheme + 3 < text.size() &&
      text.find_first_of("/?#@*, ", scheme + 3) == std::string::npos) {
    return text;
  }
  return wrong("--origin", written, "an origin such as https://game.example");
}

Result<GatewayOptions> checked(const Written& written) {
  GatewayOptions options;
  options.handles_signals = true;
  if (written.connect.empty()) {
    return Refusal(Code::invalid,
                   "--connect is missing: it takes HOST:PORT, where the game server "
                   "has its live channel");
  }
  const Result<HostPort> connect = place("--connect", written.connect, false);
  if (!connect) return connect.refusal();
  options.feed.channel.host = connect->host;
  options.feed.channel.port = connect->port;
  options.feed.channel.token_file = written.token_file;
  if (!written.token_file.empty() && ::access(written.token_file.c_str(), R_OK) != 0) {
    return wrong("--token-file", written.token_file,
                 fmt::format("a file that can be read ({})", std::strerror(errno)));
  }
  const Result<HostPort> listen = place("--listen", written.listen, true);
  if (!listen) return listen.refusal();
  options.listen = *listen;
  if (!written.metrics.empty()) {
    const Result<HostPort> metrics = place("--metrics", written.metrics, true);
    if (!metrics) return metrics.refusal();
    options.metrics = *metrics;
  }
  for (const std::string& board : written.boards) {
    if (board.empty() || board.size() > kBoardNameBytesMax) {
      return wrong("--boards", board, "names of boards, 1 to 255 bytes each, with commas between");
    }
    options.feed.boards.insert(board);
  }
  const Result<double> rate = rate_of(written.rate);
  if (!rate) return rate.refusal();
  options.rate = *rate;
  const Result<std::size_t> viewers = count_of("--viewers", written.viewers);
  if (!viewers) return viewers.refusal();
  options.viewers = *viewers;
  const Result<std::size_t> of_address =
      count_of("--viewers-per-address", written.viewers_per_address);
  if (!of_address) return of_address.refusal();
  options.site.viewers_per_address = *of_address;
  for (const std::string& origin : written.origins) {
    const Result<std::string> valid = origin_of(origin);
    if (!valid) return valid.refusal();
    options.site.origins.push_back(*valid);
  }
  options.site.behind_proxy = written.behind_proxy;
  options.site.has_metrics_port = options.metrics.has_value();
  return options;
}

void add_options(CLI::App& app, Written& written) {
  const auto add = [&](const char* name, auto& value, const char* about, const char* type) {
    return app.add_option(name, value, about)->option_text(type);
  };
  add("--connect", written.connect, "The game server's live channel", "HOST:PORT");
  add("--token-file", written.token_file, "The file with the gateway's token", "FILE");
  add("--listen", written.listen, "Where browsers come to; 127.0.0.1:8080 if not given",
      "HOST:PORT");
  add("--boards", written.boards, "These boards only, with commas between", "NAME,...")
      ->delimiter(',')
      ->take_all();
  add("--rate", written.rate,
      "Events a second of a board to a viewer at most, 1 to 20; 10 if not "
      "given",
      "N");
  add("--viewers", written.viewers, "Streams at once; 10000 if not given", "N");
  add("--viewers-per-address", written.viewers_per_address,
      "Streams of one address; 50 if not given", "N");
  add("--metrics", written.metrics, "Where /metrics is, in place of --listen", "HOST:PORT");
  add("--origin", written.origins,
      "Whose pages may open WebSockets and ask for /v1/me; the gateway's own if not given", "URL")
      ->take_all();
  app.add_flag("--behind-proxy", written.behind_proxy,
               "Take the last entry of X-Forwarded-For as the client's address");
}

// The words with each value joined to its option, so that a value may begin with a dash. The last
// word comes first.
std::vector<std::string> joined(int count, const char* const* words, const CLI::App& app) {
  std::vector<std::string> joined;
  for (int i = 1; i < count; ++i) {
    std::string word = words[i];
    const CLI::Option* const option = app.get_option_no_throw(word);
    const bool takes_value = option != nullptr && option->get_expected_max() > 0;
    if (takes_value && i + 1 < count && !std::string_view(words[i + 1]).starts_with("--")) {
      word += std::string("=") + words[++i];
    }
    joined.insert(joined.begin(), std::move(word));
  }
  return joined;
}

}  // namespace

std::variant<GatewayOptions, Ends> options_of(int count, const char* const* words) {
  Written written;
  CLI::App app("Boards of laurel in browsers: a gateway to a game server's live channel",
               "laurel-web");
  app.set_version_flag("--version", fmt::format("laurel-web {}", kVersion));
  app.footer("See laurel-web(1).");
  add_options(app, written);
  try {
    app.parse(joined(count, words, app));
  } catch (const CLI::CallForHelp&) {
    return Ends{0, app.help(), {}};
  } catch (const CLI::CallForVersion& version) {
    return Ends{0, std::string(version.what()) + "\n", {}};
  } catch (const CLI::ParseError& error) {
    return Ends{kWrong, {}, fmt::format("{} (see laurel-web --help)", error.what())};
  }
  Result<GatewayOptions> options = checked(written);
  if (!options) return Ends{kWrong, {}, std::string(options.refusal().message())};
  return std::move(*options);
}

}  // namespace laurel::web
