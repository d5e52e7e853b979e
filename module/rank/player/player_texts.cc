#include "rank/player/player_texts.h"

#include <utility>

namespace laurel {

void PlayerTexts::put(PlayerHandle player, std::string_view text) {
  const std::uint32_t number = numbers_.find(player);
  if (number != kNoNumber) {
    texts_[number].text.assign(text);
    return;
  }
  numbers_.set(player, static_cast<std::uint32_t>(texts_.size()));
  texts_.push_back({player, std::string(text)});
}

bool PlayerTexts::erase(PlayerHandle player) {
  if (player == kNoPlayer) return false;
  const std::uint32_t number = numbers_.find(player);
  if (number == kNoNumber) return false;
  numbers_.erase(player);
  if (number + 1 < texts_.size()) {
    texts_[number] = std::move(texts_.back());
    numbers_.move(texts_[number].player, number);
  }
  texts_.pop_back();
  return true;
}

std::size_t PlayerTexts::bytes() const {
  std::size_t bytes = sizeof *this + numbers_.bytes() + texts_.size() * sizeof(Text);
  for (const Text& each : texts_) {
    if (each.text.capacity() > std::string().capacity()) bytes += each.text.capacity() + 1;
  }
  return bytes;
}

}  // namespace laurel
