#include "web/feed/channel.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "base/text.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

Result<std::string> token_in(const std::string& file) {
  if (file.empty()) return std::string();
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> opened(std::fopen(file.c_str(), "re"),
                                                               std::fclose);
  if (!opened) {
    return Refusal(Code::unavailable, "cannot read {}: {}", file, std::strerror(errno));
  }
  std::string text(kTokenFileBytesMax, '\0');
  text.resize(std::fread(text.data(), 1, text.size(), opened.get()));
  constexpr const char* kSpace = " \t\r\n";
  text.erase(0, text.find_first_not_of(kSpace));
  text.erase(text.find_last_not_of(kSpace) + 1);
  if (text.empty()) return Refusal(Code::unavailable, "{} has no token", file);
  return text;
}

constexpr std::string_view kRefused = "refused: ";
constexpr std::string_view kNoAnswer = "connecting: the server has not answered yet";

}  // namespace

Channel::Channel(Options options, Log log, Listener& listener)
    : options_(std::move(options)),
      log_(std::move(log)),
      listener_(listener),
      obstacle_(kNoAnswer) {}

void Channel::tick(Time now) {
  if (closed_) return;
  if (!client_ && now >= open_at_) open(now);
  if (client_) {
    client_->tick();
    set_obstacle(obstacle_of_client(now), now);
  }
  settle();
  tell();
}

void Channel::open(Time now) {
  open_at_ = now + options_.again_after;
  const Result<std::string> token = token_in(options_.token_file);
  if (!token) return set_obstacle(fmt::format("refused: {}", token.refusal().message()), now);
  Result<std::unique_ptr<Client>> client =
      Client::connect({options_.host, options_.port, *token, false, {}});
  if (!client) return set_obstacle(fmt::format("lost: {}", client.refusal().message()), now);
  client_ = std::move(*client);
  (void)client_->on_boards(
      [this](const Result<ListedBoardsPtr>& boards) { boards_ = boards ? *boards : nullptr; });
  for (const auto& [subject, settled] : subjects_) {
    // A new client is told of a limit only when it is connected.
    if (const Status asked = subscribe_at_client(subject); !asked) {
      windows_.emplace_back(subject, asked.refusal());
    }
  }
}

Status Channel::subscribe_at_client(const Subject& subject) {
  const auto hear = [this, subject](const Result<WindowPtr>& window) {
    windows_.emplace_back(subject, window);
  };
  if (subject.player.empty()) return client_->subscribe(subject.board, kLiveTopMax, hear);
  return client_->follow_player(subject.board, kLiveAroundMax, hear, subject.player);
}

std::string Channel::obstacle_of_client(Time now) const {
  const std::string state = client_->state();
  // After a refusal another attempt is no news.
  const bool was_refused = obstacle_.starts_with(kRefused);
  if (state == "connecting") return was_refused ? obstacle_ : std::string(kNoAnswer);
  if (state != "connected") return state;
  if (client_->silence(now).value_or(0) < kSilentAfter) return {};
  return fmt::format("lost: nothing was heard from the server for {:.1f} s",
                     static_cast<double>(kSilentAfter) / static_cast<double>(kSecond));
}

void Channel::set_obstacle(std::string obstacle, Time now) {
  const bool was_up = is_up();
  obstacle_ = std::move(obstacle);
  if (obstacle_.starts_with(kRefused)) {
    if (logged_ != obstacle_)
      log_.error("{}; it tries again each {} s", obstacle_,
                 seconds_from_time(options_.again_after));
    logged_ = obstacle_;
    if (client_ && client_->state() != "connecting") {
      client_.reset();
      open_at_ = now + options_.again_after;
    }
  }
  if (is_up() == was_up) return;
  confirmed_ = true;
  if (is_up()) {
    logged_.clear();
    return log_.info("the channel to {}:{} is up", options_.host, options_.port);
  }
  log_.warn("the channel to {}:{} is down: {}", options_.host, options_.port, obstacle_);
  for (auto& [subject, settled] : subjects_) settled = false;
  unsettled_ = subjects_.size();
}

// If a board has not changed while the channel was down, no window comes.
void Channel::settle() {
  if (!is_up()) return;
  for (const auto& [subject, window] : windows_) settle(subject);
  if (unsettled_ == 0) return;
  for (const auto& [subject, settled] : subjects_) {
    const View view = subject.player.empty() ? View::top : View::around;
    if (settled || !client_->is_current(subject.board, view, subject.player)) continue;
    settle(subject);
    confirmed_ = true;
  }
}

void Channel::settle(const Subject& subject) {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end() || std::exchange(found->second, true)) return;
  --unsettled_;
}

void Channel::tell() {
  // The listener may subscribe and unsubscribe.
  if (const auto boards = std::exchange(boards_, std::nullopt)) listener_.listed(*boards);
  for (const auto& [subject, window] : std::exchange(windows_, {})) {
    if (subjects_.contains(subject)) listener_.heard(subject, window);
  }
  if (std::exchange(confirmed_, false)) listener_.confirmed();
}

bool Channel::is_current(const Subject& subject) const {
  const auto found = subjects_.find(subject);
  return is_up() && found != subjects_.end() && found->second;
}

std::optional<Time> Channel::round_trip() const {
  if (!is_up()) return std::nullopt;
  return client_->round_trip();
}

Status Channel::subscribe(const Subject& subject) {
  if (subjects_.contains(subject)) return Done{};
  if (client_) {
    if (const Status asked = subscribe_at_client(subject); !asked) return asked;
  }
  subjects_.emplace(subject, false);
  ++unsettled_;
  return Done{};
}

void Channel::unsubscribe(const Subject& subject) {
  const auto found = subjects_.find(subject);
  if (found == subjects_.end()) return;
  if (!found->second) --unsettled_;
  subjects_.erase(found);
  if (!client_) return;
  if (!subject.player.empty()) return client_->unfollow(subject.board, subject.player);
  // That ends the follows on the board, too.
  client_->unsubscribe(subject.board);
  for (const auto& [other, settled] : subjects_) {
    if (other.board == subject.board) (void)subscribe_at_client(other);
  }
}

Status Channel::ask_player(std::string_view token, OnPlayer on_player) {
  if (!is_up()) return Refusal(Code::unavailable, "the game server is away: {}", obstacle_);
  return client_->ask_player(token, std::move(on_player));
}

void Channel::close() {
  closed_ = true;
  if (client_) client_->close();
}

}  // namespace laurel::web
