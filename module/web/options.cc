#include "web/options.h"

#include <algorithm>
#include <array>
#include <bitset>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <cstring>
#include <getopt.h>
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

// Each text that stands between commas.
std::vector<std::string> split(const std::vector<std::string>& lists) {
  std::vector<std::string> texts;
  for (const std::string& list : lists) {
    for (std::size_t begin = 0; begin <= list.size();) {
      const std::size_t end = std::min(list.find(',', begin), list.size());
      texts.push_back(list.substr(begin, end - begin));
      begin = end + 1;
    }
  }
  return texts;
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
  for (const std::string& board : split(written.boards)) {
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

constexpr std::string_view kHelp =
    "Boards of laurel in browsers: a gateway to a game server's live channel\n"
    "Usage: laurel-web --connect HOST:PORT [OPTIONS]\n"
    "\n"
    "Options:\n"
    "  -h,--help                   Print this help message and exit\n"
    "  --version                   Display program version information and exit\n"
    "  --connect HOST:PORT         The game server's live channel\n"
    "  --token-file FILE           The file with the gateway's token\n"
    "  --listen HOST:PORT          Where browsers come to; 127.0.0.1:8080 if not given\n"
    "  --boards NAME,...           These boards only, with commas between\n"
    "  --rate N                    Events a second of a board to a viewer at most, 1 to 20; 10 if "
    "not given\n"
    "  --viewers N                 Streams at once; 10000 if not given\n"
    "  --viewers-per-address N     Streams of one address; 50 if not given\n"
    "  --metrics HOST:PORT         Where /metrics is, in place of --listen\n"
    "  --origin URL                Whose pages may open WebSockets and ask for /v1/me; the "
    "gateway's own if not given\n"
    "  --behind-proxy              Take the last entry of X-Forwarded-For as the client's address\n"
    "\n"
    "See laurel-web(1).\n";

// An option with a value: one text, or a list, which may be given several times.
struct Field {
  const char* name;
  std::string Written::*text;
  std::vector<std::string> Written::*list = nullptr;
};
constexpr std::array kFields = {
    Field{"connect", &Written::connect},
    Field{"token-file", &Written::token_file},
    Field{"listen", &Written::listen},
    Field{"boards", nullptr, &Written::boards},
    Field{"rate", &Written::rate},
    Field{"viewers", &Written::viewers},
    Field{"viewers-per-address", &Written::viewers_per_address},
    Field{"metrics", &Written::metrics},
    Field{"origin", nullptr, &Written::origins},
};

// What getopt_long() answers: one of these, '?', ':', or kFirstField and the place in kFields.
constexpr int kHelpAsked = 'h';
constexpr int kVersionAsked = 'v';
constexpr int kBehindProxy = 'p';
constexpr int kFirstField = 256;

std::vector<option> long_options() {
  std::vector<option> options = {{"help", no_argument, nullptr, kHelpAsked},
                                 {"version", no_argument, nullptr, kVersionAsked},
                                 {"behind-proxy", no_argument, nullptr, kBehindProxy}};
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    options.push_back(
        {kFields[i].name, required_argument, nullptr, kFirstField + static_cast<int>(i)});
  }
  options.push_back({});
  return options;
}

Ends no_sense(std::string_view what) {
  return Ends{kWrong, {}, fmt::format("{} (see laurel-web --help)", what)};
}

bool is_whole(std::string_view word, std::string_view name) {
  return word.substr(0, word.find('=')) == fmt::format("--{}", name);
}

std::variant<Written, Ends> read(int count, const char* const* words) {
  const std::vector<option> options = long_options();
  std::vector<char*> arguments;  // which it leaves as they are, with a "+" in front of the letters
  for (int i = 0; i < count; ++i) arguments.push_back(const_cast<char*>(words[i]));
  arguments.push_back(nullptr);
  Written written;
  std::bitset<kFields.size()> given;
  ::opterr = 0;
  ::optind = 0;  // from the start
  for (;;) {
    const int at = std::max(::optind, 1);
    int place = -1;
    int found = ::getopt_long(count, arguments.data(), "+:h", options.data(), &place);
    if (found == -1) break;
    const std::string word = escaped(words[at], 100);
    // It takes the beginning of a name, too, which another option may have later.
    if (place >= 0 && !is_whole(words[at], options[static_cast<std::size_t>(place)].name))
      found = '?';
    if (found == kHelpAsked) return Ends{0, std::string(kHelp), {}};
    if (found == kVersionAsked) return Ends{0, fmt::format("laurel-web {}\n", kVersion), {}};
    if (found == '?') return no_sense(fmt::format("{}: there is no such option", word));
    if (found == ':') return no_sense(fmt::format("{}: it takes a value", word));
    if (found == kBehindProxy) {
      written.behind_proxy = true;
      continue;
    }
    const auto field = static_cast<std::size_t>(found - kFirstField);
    const auto& [name, text, list] = kFields[field];
    if (list != nullptr) {
      (written.*list).emplace_back(::optarg);
    } else if (given[field]) {
      return no_sense(fmt::format("--{} is given twice", name));
    } else {
      written.*text = ::optarg;
    }
    given.set(field);
  }
  if (::optind < count) {
    return no_sense(fmt::format("{}: only options are taken", escaped(words[::optind], 100)));
  }
  return written;
}

}  // namespace

std::variant<GatewayOptions, Ends> options_of(int count, const char* const* words) {
  const std::variant<Written, Ends> written = read(count, words);
  if (const auto* ends = std::get_if<Ends>(&written)) return *ends;
  Result<GatewayOptions> options = checked(std::get<Written>(written));
  if (!options) return Ends{kWrong, {}, std::string(options.refusal().message())};
  return std::move(*options);
}

}  // namespace laurel::web
