// copier.h - copies past seasons of boards that live here to a remote: the one called "archive".
//
//   which     those that the registry says wait for it (Registry::board_to_copy), the oldest of a
//             board first, one season at a time.
//   amount    kCopyRows rows are read in a tick, and only when the last ones are acknowledged: no
//             tick takes longer than that, however large the season or slow the remote.
//   restart   goes on behind the rows that were acknowledged. Rows that were sent twice are there
//             once.
//   failure   what the remote does not answer is sent again after a while. What it refuses for good
//             is logged, and the season waits no more.
//   forget    the registry's word about a player reaches all copies, kept like a post. Nothing is
//             copied meanwhile, and what was being copied begins anew: no row of the player that
//             was on its way stays behind.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "remote/asks.h"
#include "remote/forgetting.h"

namespace laurel {

class Copier {
 public:
  // All of them outlive it.
  Copier(Asks& asks, Journal& journal, Site& site);
  Copier(const Copier&) = delete;
  Copier& operator=(const Copier&) = delete;

  void forget(std::string_view player) { forgetting_.add(player); }
  void restore(const std::vector<Post>& forgotten) { forgetting_.restore(forgotten); }
  // Once a tick, after answers were handed out.
  void tick();

  // The remote's name, and under which board's name the journal keeps whom to forget: no board has
  // it.
  static constexpr std::string_view kSite = "archive";
  static constexpr std::string_view kNoBoard{"\0archive", 8};

 private:
  // The rows that are under way.
  struct Sent {
    std::string board;
    Time created = 0;
    std::uint64_t season = 0;
    std::uint64_t version = 0;  // of its copy
    std::string to;
    bool last = false;
  };

  void send(Board& board);
  void answered(const Sent& sent, const Result<Value>& value);

  Asks& asks_;
  Site& site_;
  Forgetting forgetting_;
  bool sent_ = false;
  Time retry_at_ = 0;
  Time backoff_ = 0;
};

}  // namespace laurel
