// activity_log.h - a rolling board's activity on its way to a store that outlives the process.
//
//   row         a player's, under his id: the number of a generation, LEB128, and his activity as
//               activity_codec.h has it.
//   generation  what was written since the board last began anew. Beginning anew makes all rows of
//               before void at once, by writing one row, under the empty id: the new generation's
//               number. There is none before the first time: the generation is 0. Rows that are
//               void are erased by whoever frees their players, so that no call walks over all.
//   without     a store that outlives the process: nothing is kept, and each call is a branch.
//   cost        put and erase append to a buffer; put allocates nothing in the long run.
//   threads     none of its own; one caller at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "engine/rolling/activity_codec.h"
#include "engine/rolling/activity_table.h"
#include "store/row_log.h"

namespace laurel {

class ActivityLog {
 public:
  // Null: without such a store.
  explicit ActivityLog(std::unique_ptr<RowLog> rows) : rows_(std::move(rows)) {}

  bool keeps() const { return rows_ != nullptr; }

  void put(std::string_view player, const ActivityRecord& record);
  // Erasing what is not there does nothing.
  void erase(std::string_view player);
  void begin_anew();
  // All rows are to go. Nothing is kept from then on.
  void retire();

  // What the store holds, in the order of ids; players whose rows are void come without activity.
  // Bytes that are no row of this form are passed over. Once, before the first write. Views are
  // valid during the visit, which writes nothing.
  using Visit =
      std::function<void(std::string_view player, std::optional<PackedActivity> activity)>;
  void each(const Visit& visit);

 private:
  std::unique_ptr<RowLog> rows_;
  std::uint64_t generation_ = 0;
  std::string value_;  // kept for its memory
};

}  // namespace laurel
