// grants.h - the players' tokens whose streams were let in.
//
//   grant     a token's player, while a stream of the token is open, and kGrantFor after the last
//             one ended. So a stream that was lost may come again, although its token is used up.
//   limit     kGrantsMax of tokens without a stream; then the one that ends first ends.
//   owner     open streams refer to the Grants, which must outlive them.
//   threads   one.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "base/time.h"

namespace laurel::web {

class Grants {
 public:
  // A stream of a token.
  class Stream {
   public:
    virtual ~Stream() = default;
  };

  Grants() = default;
  Grants(const Grants&) = delete;
  Grants& operator=(const Grants&) = delete;

  // The player of a token whose stream was let in.
  std::optional<std::string> player_of(std::string_view token, Time now);
  // A stream of the token is let in, and lives as long as the result.
  std::unique_ptr<Stream> let_in(std::string_view token, std::string_view player);

 private:
  class OpenStream;
  struct Grant {
    std::string player;
    unsigned streams = 0;
    Time until = 0;  // without a stream
  };
  using All = std::map<std::string, Grant, std::less<>>;

  void ended(All::iterator grant, Time now);

  All all_;
  std::set<std::pair<Time, std::string>> ending_;  // those without a stream
};

}  // namespace laurel::web
