// small_heap.h - a heap that ends. The program's operator new is replaced for this.
//
//   thread   the heap ends for the thread that asks, or for all others.
//   ended    the heap gives only what was given back since it ended. An allocation that gets
//            nothing asks the new handler, as the language requires, and then throws
//            std::bad_alloc.
#pragma once

#include <cstddef>

namespace laurel::test {

// Ends the heap after this many more allocations.
void end_heap_after(std::size_t allocations);
// The heap has nothing for all other threads.
void end_heap_of_others();
void renew_heap();
// Whether an allocation was refused since end_heap_after().
bool heap_refused();
// Allocations of this thread, refused ones included.
std::size_t allocations();

}  // namespace laurel::test
