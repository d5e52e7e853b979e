// The word that shows a live channel: watch.
#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <sys/ioctl.h>
#include <unistd.h>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "live/client/client.h"
#include "live/limits.h"
#include "tool/entry_table.h"
#include "tool/json_values.h"
#include "tool/words.h"

namespace laurel::tool {

namespace {

constexpr int kFrameMilliseconds = 20;  // between two looks at the network

volatile std::sig_atomic_t is_asked_to_end = 0;
extern "C" void end_watching(int) { is_asked_to_end = 1; }

Result<std::string> read_token(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  std::string text(kLiveTokenTextBytesMax + 2, '\0');  // and the end of a line
  in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (!in && !in.eof()) {
    return Refusal(Code::unavailable, "\"{}\": {}", escaped(file, 120), std::strerror(errno));
  }
  text.resize(static_cast<std::size_t>(in.gcount()));
  text.erase(text.find_last_not_of(" \t\r\n") + 1);
  if (!text.empty()) return text;
  return Refusal(Code::invalid, "\"{}\" has no token", escaped(file, 120));
}

// Where the states of the board are written.
class Screen {
 public:
  virtual ~Screen() = default;
  // window: null before the first one. state: of the client.
  virtual Status show(const WindowPtr& window, const std::string& state) = 0;
};

// One line of JSON for each state of the board.
class JsonLines final : public Screen {
 public:
  explicit JsonLines(std::string board) : board_(std::move(board)) {}

  Status show(const WindowPtr& window, const std::string&) override {
    if (window == shown_) return Done{};
    shown_ = window;
    Answer answer;
    answer.json = {{"board", json_text(board_)},
                   {"version", window->version},
                   {"size", window->size},
                   {"entries", json_entries_of(*window)}};
    return tool::show(answer, Form::json, false, stdout);
  }

 private:
  std::string board_;
  WindowPtr shown_;
};

// A table that is drawn again in place, on a screen of its own, as watch(1) does.
class Terminal final : public Screen {
 public:
  Terminal(std::string board, bool colours) : board_(std::move(board)), colours_(colours) {
    // Another screen, no cursor, long lines are cut.
    fmt::print("\x1b[?1049h\x1b[?25l\x1b[?7l");
  }
  ~Terminal() override {
    fmt::print("\x1b[?7h\x1b[?25h\x1b[?1049l");
    std::fflush(stdout);
  }

  Status show(const WindowPtr& window, const std::string& state) override {
    Answer answer;
    if (window != nullptr) {
      Json entries = json_entries_of(*window);
      const std::size_t rows = rows_of_entries();
      if (entries.size() > rows)
        entries.erase(entries.begin() + static_cast<long>(rows), entries.end());
      answer.tables.push_back(entry_table(std::move(entries)));
      answer.notes.push_back(fmt::format("{}: {} {}", escaped(board_, 64), window->size,
                                         window->size == 1 ? "player" : "players"));
    }
    if (state != "connected") answer.notes.push_back(escaped(state, 200));
    char* text = nullptr;
    std::size_t size = 0;
    std::FILE* const memory = ::open_memstream(&text, &size);
    if (memory == nullptr) return no_memory();
    const Status drawn = tool::show(answer, Form::table, colours_, memory);
    std::fclose(memory);
    // Each line replaces what was there, so that nothing flickers.
    std::string frame = "\x1b[H";
    for (const char c : std::string_view(text, size)) {
      if (c == '\n') frame += "\x1b[K";
      frame += c;
    }
    std::free(text);
    if (!drawn) return drawn;
    frame += "\x1b[J";
    std::fwrite(frame.data(), 1, frame.size(), stdout);
    if (std::fflush(stdout) == 0) return Done{};
    return Refusal(Code::unavailable, "writing to the terminal: {}", std::strerror(errno));
  }

 private:
  // What the height of the terminal leaves for them.
  static std::size_t rows_of_entries() {
    constexpr std::size_t kOtherLines = 5;  // header, notes, and what is between
    winsize screen{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &screen) != 0 || screen.ws_row == 0) return kLiveTopMax;
    return std::max<std::size_t>(screen.ws_row, kOtherLines + 1) - kOtherLines;
  }

  std::string board_;
  bool colours_;
};

std::unique_ptr<Screen> screen_of(const Watched& watched) {
  if (watched.json || ::isatty(STDOUT_FILENO) == 0)
    return std::make_unique<JsonLines>(watched.board);
  return std::make_unique<Terminal>(watched.board, watched.colours);
}

}  // namespace

std::optional<ServerAddress> read_address(std::string_view text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string_view::npos || colon == 0) return std::nullopt;
  ServerAddress address{.host = std::string(text.substr(0, colon))};
  const std::string_view port = text.substr(colon + 1);
  const auto [end, error] = std::from_chars(port.data(), port.data() + port.size(), address.port);
  if (error != std::errc() || end != port.data() + port.size() || address.port == 0) {
    return std::nullopt;
  }
  return address;
}

Status watch(const Watched& watched) {
  ClientOptions options{.host = watched.server.host, .port = watched.server.port};
  if (watched.token_file) {
    Result<std::string> token = read_token(*watched.token_file);
    if (!token) return token.refusal();
    options.token = std::move(*token);
  }
  const Result<std::unique_ptr<Client>> client = Client::connect(options);
  if (!client) return client.refusal();
  WindowPtr window;
  std::optional<Refusal> refused;
  const auto take = [&](const Result<WindowPtr>& top) {
    refused.reset();
    if (top) window = *top;
    if (!top) refused.emplace(top.refusal());
  };
  const std::int64_t n = std::clamp<std::int64_t>(watched.n, 0, UINT32_MAX);
  if (const Status asked = (*client)->subscribe(watched.board, static_cast<std::size_t>(n), take);
      !asked) {
    return asked;
  }
  std::signal(SIGINT, end_watching);
  std::signal(SIGTERM, end_watching);
  const std::unique_ptr<Screen> screen = screen_of(watched);
  WindowPtr shown;
  std::string shown_state;
  while (is_asked_to_end == 0) {
    (*client)->tick();
    std::string state = (*client)->state();
    if (state.starts_with("refused: ")) {
      return Refusal(Code::unavailable, "the server refused the connection: {}",
                     escaped(std::string_view(state).substr(9), 200));
    }
    // A board that was shown may be published again.
    if (refused && window == nullptr) return *refused;
    if (refused) state = escaped(refused->text(), 200);
    if (window != shown || state != shown_state) {
      if (const Status done = screen->show(window, state); !done) return done;
      shown = window;
      shown_state = std::move(state);
    }
    (void)::poll(nullptr, 0, kFrameMilliseconds);
  }
  return Done{};
}

}  // namespace laurel::tool
