// known_top_writer.h - writes the last known top of one remote board to the registry's store
// (registry/known_tops.h).
//
//   known     from reads of its first entries: of a watched or shown board (top_cache.h), or of a
//             script. Of two lists the newer one counts. One that is shorter, and does not have all
//             players, replaces a longer one only kKnownTopLonger after it.
//   written   if it differs from the row, at most once in kKnownTopEvery; if it does not, but is
//             still known to be the remote's, once in kKnownTopConfirmEvery, for the moment; and at
//             the end. The row is in the transaction of the tick.
//   hidden    a player that the remote was told, or is to be told, to ban or to forget. A list that
//             was asked for before the remote had done so is used without the player.
//   threads   the registry's caller.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "remote/core/remote_board.h"

namespace laurel {

class KnownTopWriter {
 public:
  KnownTopWriter(PendingRequests& requests, const RemoteBoard& board)
      : requests_(requests), board_(board) {}
  KnownTopWriter(const KnownTopWriter&) = delete;
  KnownTopWriter& operator=(const KnownTopWriter&) = delete;

  // The board was opened by this server: a row of another remote goes.
  void begin();
  // The answer to a read that was asked for at that time, by the steady clock. Changes of a
  // followed board are read again.
  enum class Followed : std::uint8_t { no, yes };
  void read(WindowPtr top, Time asked, Followed followed);
  // Whether tick() may have something to do at that time, by the steady clock.
  bool is_due(Time steady) const { return steady >= due_ && (waiting_ || steady >= confirm_due_); }
  // Called once a tick. `current`: the followed window is the remote's now. Returns whether it
  // wrote. `may_go` says which boards' rows may make room.
  using MayGo = std::function<bool(std::string_view board)>;
  bool tick(bool current, const MayGo& may_go);
  // The registry closes: writes what waits.
  void finish(bool current, const MayGo& may_go);

  // The remote is to be told to hide the player.
  void hide(std::string_view player);
  // It has done so, or has refused to.
  void hidden(std::string_view player);
  // It has done so at the request of a script.
  void was_hidden(std::string_view player);

 private:
  bool is_hidden(std::string_view player, Time asked) const;
  bool write(const MayGo& may_go);
  void expire();

  PendingRequests& requests_;
  const RemoteBoard& board_;
  // The newest list. Times are those of the steady clock, except `known_`.
  WindowPtr waiting_;  // null: it was written
  std::size_t count_ = 0;
  Time known_ = 0;
  Time asked_ = 0;
  Followed followed_ = Followed::no;
  Time due_ = 0;
  Time confirm_due_ = 0;
  // When the remote answered; absent: not yet. At most one for each such post, and for each answer
  // of the last kRemoteTimeoutMax.
  std::map<std::string, std::optional<Time>, std::less<>> hidden_;
  Time expire_due_ = 0;
};

}  // namespace laurel
