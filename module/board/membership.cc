#include "board/membership.h"

#include "board/board_codec.h"

namespace laurel {

Membership::Kept::Kept(Players& players, const Space& space)
    : lists{PlayerSet{players, PersistentRows(space, kJoinedLetter)},
            PlayerSet{players, PersistentRows(space, kBannedPrefix)},
            PlayerSet{players, PersistentRows(space, kPardonedLetter)}},
      hidden(players, PersistentRows(space, kHiddenPrefix)) {}

std::size_t Membership::Kept::bytes() const {
  std::size_t bytes = hidden.bytes();
  for (const PlayerSet& list : lists) bytes += list.bytes();
  return bytes;
}

Membership::Kept& Membership::kept() {
  if (!kept_) kept_ = std::make_unique<Kept>(players_, space_);
  return *kept_;
}

void Membership::load() {
  Kept& all = kept();
  for (PlayerSet& list : all.lists) list.load();
  all.hidden.load();
  if (all.bytes() == 0) kept_.reset();
}

}  // namespace laurel
