#include "twins.h"

#include <algorithm>
#include <new>

#include "base/memory_guarantee.h"
#include "registry_text.h"
#include "small_heap.h"

namespace laurel::test {

Twins::Twins(std::uint64_t seed, const Folder* folder)
    : random_(seed),
      now_(std::make_shared<Time>(Fixture::kStart)),
      path_(folder != nullptr ? *folder / "store" : ""),
      rich_(open("")),
      poor_(open(path_)) {}

std::unique_ptr<Registry> Twins::open(const std::string& path) const {
  auto opened = Registry::open({.path = path,
                                .clock = std::make_unique<SharedClock>(now_),
                                .log = Log([](Level, std::string_view) {}),
                                .secret = HashSecret::fixed(1)});
  REQUIRE(opened);
  return std::move(*opened);
}

bool Twins::try_call(const Call& call) {
  try {
    call(*poor_);
    return true;
  } catch (const std::bad_alloc&) {
    return false;
  }
}

// The heap ends at any of the allocations that the call made on the other one, and may stay ended
// for the next try.
void Twins::call(const Call& call) {
  const std::size_t before_call = allocations();
  call(*rich_);
  const std::size_t needed = allocations() - before_call;
  const std::string before = text_of(*poor_);
  bool done = false;
  for (int tries = 0; tries < 4 && !done; ++tries) {
    end_heap_after(below(needed + 2));
    done = try_call(call);
    if (!done && below(3) == 0) done = try_call(call);
    const bool out_of_memory = heap_refused();
    renew_heap();
    most_blocks = std::max(most_blocks, MemoryReserve::missing());
    if (!done) {
      ++refused;
      REQUIRE(text_of(*poor_) == before);
    } else if (out_of_memory) {
      ++rescued;
    }
  }
  if (!done) REQUIRE(try_call(call));
  REQUIRE(text_of(*poor_) == text_of(*rich_));
}

void Twins::bring_up_to_date() {
  for (Registry* registry : {rich_.get(), poor_.get()}) {
    for (const std::string& name : registry->names()) (void)registry->get(*registry->find(name));
  }
}

void Twins::reopen() {
  REQUIRE(poor_->close());
  poor_.reset();
  poor_ = open(path_);
  REQUIRE(text_of(*poor_) == text_of(*rich_));
}

}  // namespace laurel::test
