#include "rank/player/player_bits.h"

#include <algorithm>
#include <bit>

namespace laurel {

bool PlayerBits::has(PlayerHandle player) const {
  const std::size_t page = player / kBits;
  return page < pages_.size() && pages_[page] != nullptr &&
         (pages_[page]->words[word(player)] & bit(player)) != 0;
}

bool PlayerBits::add(PlayerHandle player) {
  if (has(player)) return false;
  const std::size_t number = player / kBits;
  if (number >= pages_.size()) pages_.resize(number + 1);
  std::unique_ptr<Page>& page = pages_[number];
  if (page == nullptr) page = std::make_unique<Page>();
  page->words[word(player)] |= bit(player);
  ++page->players;
  begin_ = std::min(begin_, number);
  return true;
}

bool PlayerBits::remove(PlayerHandle player) {
  if (!has(player)) return false;
  std::unique_ptr<Page>& page = pages_[player / kBits];
  page->words[word(player)] &= ~bit(player);
  if (--page->players == 0) page.reset();
  return true;
}

PlayerHandle PlayerBits::first() const {
  while (begin_ < pages_.size() && pages_[begin_] == nullptr) ++begin_;
  if (begin_ == pages_.size()) return kNoPlayer;
  const Page& page = *pages_[begin_];
  std::size_t at = 0;
  while (page.words[at] == 0) ++at;
  return static_cast<PlayerHandle>(begin_ * kBits + at * 64 +
                                   static_cast<std::size_t>(std::countr_zero(page.words[at])));
}

}  // namespace laurel
