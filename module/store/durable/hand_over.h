// hand_over.h - what a store gives to its writer at once, to be one transaction.
//
//   order    of two writes to one key the later counts: in a batch, and of two batches the later.
//   owner    the writer, from when it takes one until the store lets it go. Nothing in it changes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "store/cow_tree.h"
#include "store/store.h"

namespace laurel {

struct HandOver {
  std::uint64_t number = 0;
  std::vector<Batch> batches;
  std::vector<std::string> gone;  // prefixes of what is to be erased, little by little
  // What the store reads of it meanwhile; here only so that it is freed by the writer.
  std::shared_ptr<const CowTree> readable;
};

}  // namespace laurel
