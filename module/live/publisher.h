// publisher.h - the boards that a registry shows on the live channel: an audience with a server.
//
//   published  a board with how many of its entries clients may ask for, and whether their data
//              travels. It stays until it is unpublished, or dropped: then its subscribers are told
//              `unknown`.
//   tick       every published board that changed since the last tick posts one window; those that
//              did not cost a comparison. The live thread's lines go to the registry's log.
//   owner      the registry, once attached. The end of the object ends the server.
//   threads    the registry's caller. The server's thread sees nothing but immutable windows.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <string_view>

#include "base/result.h"
#include "board/registry.h"
#include "live/server.h"

namespace laurel {

struct PublishOptions {
  std::size_t top = kLiveTopMax;  // 1 to kLiveTopMax; clients may ask for any n up to it
  bool data = false;              // whether entries carry their data
};

class Live final : public Audience {
 public:
  // Fails as Server::start does: invalid, unavailable.
  static Result<std::unique_ptr<Live>> start(const ServerOptions& options);

  // Shows the board from now on, as it stands at once and after every tick that follows a change.
  // Publishing again changes the options.
  // Fails with  invalid      top is out of its range
  //             unknown      the board was dropped
  //             unavailable  kLiveBoardsMax boards are published already
  Status publish(const Registry& registry, BoardHandle board, const PublishOptions& options);
  // Whether the board was published. A dropped board is taken off at the next tick by itself.
  bool unpublish(const Registry& registry, BoardHandle board);

  std::uint16_t port() const { return server_->port(); }
  bool settled() const { return server_->settled(); }
  ServerStats stats() const { return server_->stats(); }

  void on_tick(Registry& registry) override;

 private:
  struct Shown {
    BoardHandle board;
    PublishOptions options;
    std::uint64_t version = 0;  // of the window that was posted last
  };

  explicit Live(std::unique_ptr<Server> server) : server_(std::move(server)) {}
  void post(const std::string& name, const Board& board, Shown& shown);

  std::unique_ptr<Server> server_;
  std::map<std::string, Shown, std::less<>> shown_;  // by the boards' names
};

}  // namespace laurel
