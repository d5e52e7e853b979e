// published_list.h - what is published, for the clients that ask: a state with a version, of which
// each client is sent what has changed since the version that it holds.
//
//   version   increases with each change. A board has the version of its description, and that of
//             its size if it has changed since. So a part of the list, up to some version, has the
//             description of each board whose size comes later.
//   sizes     get a version once in kLiveSizesEvery at most, all that have changed together. Only
//             the first size of a board is told at once.
//   gone      boards leave a note for the clients that know them. At most kLiveBoardsMax are kept;
//             a client that holds a version before the oldest one kept begins again.
//   message   encoded once for all clients that hold the same version, and kept until the list
//             changes. It has at most kLiveListBytesMax bytes, or one item.
//   threads   none. Time comes from the caller.
//   cost      O(log boards) a change; a message: O(items in it).
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/time.h"
#include "live/net/transport.h"
#include "live/wire/board_list.h"

namespace laurel {

class PublishedList {
 public:
  // epoch: random, not 0
  explicit PublishedList(std::uint64_t epoch) : epoch_(epoch) {}

  // The board is published, or its description has changed.
  void describe(const std::string& board, const BoardDescription& description);
  // Ignored if the board was not described.
  void set_size(const std::string& board, std::uint64_t size);
  void remove(const std::string& board);

  // Gives the changed sizes a version, if it is time.
  void tick(Time now);
  // Whether changed sizes wait for a later tick.
  bool waiting() const { return !resized_.empty(); }

  std::uint64_t epoch() const { return epoch_; }
  std::uint64_t version() const { return version_; }

  // Whether a client that holds that version of that list holds the newest one.
  bool is_newest(std::uint64_t epoch, std::uint64_t version) const {
    return epoch == epoch_ && version == version_;
  }
  // The message that leads such a client on. Adds 1 to `encodings` if it has to encode.
  // REQUIRES: !is_newest().
  MessagePtr message(std::uint64_t epoch, std::uint64_t version, std::uint64_t& encodings);

 private:
  struct Listed {
    std::optional<std::uint64_t> size;  // absent until the first window
    std::uint64_t described_at = 0;     // version; also that of the board's end
    std::uint64_t sized_at = 0;         // version; 0: the size has not changed since
    std::string description;            // encoded
    bool gone = false;
  };
  using Boards = std::map<std::string, Listed, std::less<>>;

  // The board is described again, or has gone; the board has another size.
  void describe_anew(Boards::iterator entry);
  void resize(Boards::iterator entry, std::uint64_t size);
  void forget_oldest();
  MessagePtr encode(std::uint64_t from) const;

  std::uint64_t epoch_;
  std::uint64_t version_ = 1;     // 0: a client that holds nothing
  std::uint64_t forgotten_ = 0;   // the version of the newest note that is no longer kept
  Boards boards_;                 // at most 2 kLiveBoardsMax
  std::set<std::uint64_t> gone_;  // those of them that have gone, by described_at
  std::map<std::uint64_t, Boards::iterator> changes_;          // by described_at and sized_at
  std::map<std::string, std::uint64_t, std::less<>> resized_;  // new sizes without a version
  std::optional<Time> sized_at_;
  std::map<std::uint64_t, MessagePtr> encoded_;  // by the version they start from
};

}  // namespace laurel
