// memory_store.h - a store that ends with the process.
//
//   form     a copy-on-write tree (cow_tree.h). A snapshot is a copy that shares all pages; it may
//            outlive the store.
//   memory   about 100 bytes for an entry of 60 bytes inserted in random order, 70 if inserted in
//            order. Pages that only snapshots still use count until the snapshots end.
//   threads  as in store.h; snapshots may also end in any thread.
#pragma once

#include "store/store.h"

namespace laurel {

std::unique_ptr<Store> make_memory_store();

}  // namespace laurel
