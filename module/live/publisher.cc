#include "live/publisher.h"

#include <utility>

#include "base/limits.h"

namespace laurel {

Result<std::unique_ptr<Live>> Live::start(const ServerOptions& options) {
  Result<std::unique_ptr<Server>> server = Server::start(options);
  if (!server) return server.refusal();
  return std::unique_ptr<Live>(new Live(std::move(*server)));
}

Status Live::publish(const Registry& registry, BoardHandle handle, const PublishOptions& options) {
  if (options.top < 1 || options.top > kLiveTopMax) {
    return Refusal(Code::invalid, "top is {}; it takes 1 to {}", options.top, kLiveTopMax);
  }
  const Board* board = registry.get(handle);
  if (board == nullptr) return Refusal(Code::unknown, "the board was dropped");
  if (shown_.size() >= kLiveBoardsMax && !shown_.contains(board->name())) {
    return Refusal(Code::unavailable, "{} boards are published, which is as many as there can be",
                   kLiveBoardsMax);
  }
  Shown& shown = shown_[board->name()];
  shown.board = handle;
  shown.options = options;
  post(board->name(), *board, shown);
  return Done{};
}

bool Live::unpublish(const Registry& registry, BoardHandle handle) {
  const Board* board = registry.get(handle);
  if (board == nullptr || shown_.erase(board->name()) == 0) return false;
  server_->unpublish(board->name());
  return true;
}

void Live::post(const std::string& name, const Board& board, Shown& shown) {
  shown.version = board.version();
  server_->post(name, board.window(shown.options.top, shown.options.data));
}

void Live::on_tick(Registry& registry) {
  for (auto it = shown_.begin(); it != shown_.end();) {
    auto& [name, shown] = *it;
    const Board* board = registry.get(shown.board);
    if (board == nullptr) {
      server_->unpublish(name);
      it = shown_.erase(it);
      continue;
    }
    if (board->version() != shown.version) post(name, *board, shown);
    ++it;
  }
  for (const auto& [level, line] : server_->take_log()) registry.log().write(level, line);
}

}  // namespace laurel
