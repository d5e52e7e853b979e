// memory_store.h - a store that is gone with the process.
//
//   form       a copy-on-write tree (cow_tree.h): a snapshot is a copy of it, which shares all of
//              its pages, and outlives the store if it must.
//   memory     some 100 bytes for an entry of 60 that came at random, 70 for one that came in
//              order. What only snapshots still show counts too, until they end.
//   threads    as store.h has it; snapshots may also end in any thread.
#pragma once

#include "store/store.h"

namespace laurel {

std::unique_ptr<Store> make_memory_store();

}  // namespace laurel
