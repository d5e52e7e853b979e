// commit_batch.h - a batch that the store gives to its writer thread, to become one transaction.
//
//   order  the last write to a key wins, in a buffer and in the batch. The batch overrides the
//          buffers.
//   owner  shared by the store and the writer until the store lets it go; immutable.
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

// The writes of one WriteBuffer.
struct BufferedWrites {
  std::string prefix;
  RowWrites writes;
};

struct CommitBatch {
  std::uint64_t number = 0;
  std::vector<BufferedWrites> buffers;
  RowWrites batch;
  std::vector<std::string> gone;  // prefixes whose entries are to be erased in steps
  // The store's read view of these writes; the writer does not use it, but frees it.
  std::shared_ptr<const CowTree> readable;
};

}  // namespace laurel
