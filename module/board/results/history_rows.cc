#include "board/results/history_rows.h"

namespace laurel {

std::string_view HistoryRows::key_of(std::string_view player, HistorySlot slot) {
  key_.assign(player);
  key_.push_back('\0');
  key_.push_back(static_cast<char>(slot));
  return key_;
}

void HistoryRows::put(std::string_view player, HistorySlot slot, std::string_view value) {
  const std::string_view key = key_of(player, slot);
  if (log_) return log_->put(key, value);
  Batch batch;
  space_.put(batch, key, value);
  space_.store().write(batch);
}

void HistoryRows::erase(std::string_view player, HistorySlot slot) {
  const std::string_view key = key_of(player, slot);
  if (log_) return log_->erase(key);
  Batch batch;
  space_.erase(batch, key);
  space_.store().write(batch);
}

void HistoryRows::each_under(std::string_view part, Waiting waiting, const Visit& visit) const {
  const auto show = [&visit](std::string_view key, std::string_view value) {
    if (key.size() < 3 || key[key.size() - 2] != '\0') return;
    visit(key.substr(0, key.size() - 2), static_cast<HistorySlot>(key.back()), value);
  };
  if (log_) return log_->each_now(part, waiting, show);
  const std::unique_ptr<Cursor> at = space_.cursor();
  for (bool on = at->seek(part); on && at->key().starts_with(part); on = at->next()) {
    show(at->key(), at->value());
  }
}

void HistoryRows::each_of(std::string_view player, Waiting waiting, const Visit& visit) const {
  each_under(std::string(player) + '\0', waiting, visit);
}

void HistoryRows::retire() {
  if (!log_) return;
  log_->retire();
  log_.reset();
}

}  // namespace laurel
