// activity_rows.h - a rolling board's activity, on its way to a durable store.
//
//   row         one a player, under the player's id: the number of a generation, LEB128, and the
//               activity as in activity_codec.h.
//   generation  counts how often the board began again. Beginning again makes all earlier rows void
//               with a single write: the new generation's number in a row under the empty id. Until
//               the first time the generation is 0, without such a row. Void rows are erased when
//               their players are freed, so that no call walks over all rows.
//   without     a durable store nothing is kept, and each call costs one branch.
//   cost        put and erase append to a buffer; in the long run put does not allocate.
//   threads     not thread-safe; one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/rolling/activity_codec.h"
#include "engine/rolling/activity_table.h"
#include "store/write_buffer.h"

namespace laurel {

class ActivityRows {
 public:
  // `rows` is null if the store is not durable.
  explicit ActivityRows(std::unique_ptr<WriteBuffer> rows) : rows_(std::move(rows)) {}

  bool keeps() const { return rows_ != nullptr; }

  void put(std::string_view player, const ActivityRecord& record);
  // Erasing an absent row does nothing.
  void erase(std::string_view player);
  void start_over();
  // Erases all rows. Nothing is kept from then on.
  void retire();

  // Visits the stored rows in the order of ids; a player with a void row comes without activity.
  // Bytes that are not a valid row are skipped. Call it once, before the first write. Views are
  // valid during the visit, which must not write.
  using Visit =
      std::function<void(std::string_view player, std::optional<PackedActivity> activity)>;
  void each(const Visit& visit);

 private:
  std::unique_ptr<WriteBuffer> rows_;
  std::uint64_t generation_ = 0;
  std::string value_;  // kept to reuse its memory
};

}  // namespace laurel
