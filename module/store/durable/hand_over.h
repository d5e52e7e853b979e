// hand_over.h - what a store gives to its writer at once, to be one transaction.
//
//   order    of two writes to one key the later counts: of a log, and in the batch; the batch is
//            later than the logs.
//   owner    the writer, from when it takes one until the store lets it go. Nothing in it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/cow_tree.h"
#include "store/row_writes.h"
#include "store/store.h"

namespace laurel {

// The writes of one row log.
struct LoggedRows {
  std::string prefix;
  RowWrites writes;
};

struct HandOver {
  std::uint64_t number = 0;
  std::vector<LoggedRows> logs;
  Batch batch;
  std::vector<std::string> gone;  // prefixes of what is to be erased, little by little
  // What the store reads of it meanwhile; here only so that it is freed by the writer.
  std::shared_ptr<const CowTree> readable;
};

}  // namespace laurel
