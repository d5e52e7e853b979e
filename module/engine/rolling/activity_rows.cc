#include "engine/rolling/activity_rows.h"

#include <utility>

#include "base/bytes.h"
#include "base/limits.h"

namespace laurel {

namespace {

constexpr std::string_view kGenerationRow;  // an id is never empty
constexpr std::size_t kNumberBytesMax = 10;

void set_number(std::string& value, std::uint64_t number) {
  value.clear();
  ByteWriter(value, kNumberBytesMax).leb(number);
}

}  // namespace

void ActivityRows::put(std::string_view player, const ActivityRecord& record) {
  if (!rows_) return;
  set_number(value_, generation_);
  pack_activity(record.at, record.amounts, record.data_view(), value_);
  rows_->put(player, value_);
}

void ActivityRows::erase(std::string_view player) {
  if (rows_) rows_->erase(player);
}

void ActivityRows::start_over() {
  if (!rows_) return;
  set_number(value_, ++generation_);
  rows_->put(kGenerationRow, value_);
}

void ActivityRows::retire() {
  if (!rows_) return;
  rows_->retire();
  rows_.reset();
}

// The generation's row comes first, since its key is empty.
void ActivityRows::each(const Visit& visit) {
  if (!rows_) return;
  rows_->each([&](std::string_view player, std::string_view value) {
    ByteReader reader(value);
    const std::uint64_t generation = reader.leb();
    if (!reader.ok() || player.size() > kPlayerBytesMax) return;
    if (player == kGenerationRow) {
      generation_ = generation;
    } else if (generation != generation_) {
      visit(player, std::nullopt);
    } else if (auto activity = read_activity(reader.bytes(reader.remaining()))) {
      visit(player, std::move(activity));
    }
  });
}

}  // namespace laurel
