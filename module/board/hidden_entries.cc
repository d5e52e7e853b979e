#include "board/hidden_entries.h"

namespace laurel {

HiddenEntries::~HiddenEntries() {
  if (!texts_) return;
  for (const auto& [player, packed] : *texts_) players_.release(player);
}

void HiddenEntries::load() {
  rows_.each([this](std::string_view player, std::string_view packed) { hold(player, packed); });
}

void HiddenEntries::hold(std::string_view id, std::string_view packed) {
  if (!texts_) texts_ = std::make_unique<PlayerTexts>();
  const PlayerHandle held = players_.find(id);
  const bool is_new = texts_->find(held) == nullptr;
  texts_->put(is_new ? players_.hold(id) : held, packed);
}

void HiddenEntries::put(std::string_view player, std::string_view packed) {
  rows_.put(player, packed);
  hold(player, packed);
}

bool HiddenEntries::erase(PlayerHandle player) {
  if (!texts_ || !texts_->erase(player)) return false;
  const IdText id = players_.id(player);
  rows_.erase(id);
  players_.release(player);
  return true;
}

void HiddenEntries::clear() {
  while (texts_ && !texts_->empty()) erase(texts_->begin()->player);
}

}  // namespace laurel
