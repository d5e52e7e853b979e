#include "base/memory_guarantee.h"

#include <array>
#include <exception>
#include <mutex>
#include <new>

#include "base/limits.h"

namespace laurel {

namespace {

// Has no destructor to run: a thread may still allocate while the process ends.
struct {
  std::mutex mutex;
  std::size_t users = 0;
  std::size_t filled = 0;
  std::array<void*, kMemoryReserveBlocks> blocks{};
  std::new_handler earlier = nullptr;  // the host's
} constinit reserve;

}  // namespace

constinit std::atomic<std::size_t> MemoryReserve::missing_ = 0;

Refusal no_memory() { return {Code::unavailable, "no memory"}; }

void ask_for_memory() {
  const std::new_handler handler = std::get_new_handler();
  if (handler == nullptr) throw std::bad_alloc();
  handler();
}

void allocate_thread_variables() {
  // This library has some, and the C++ library, which uses them to throw.
  (void)*static_cast<volatile bool*>(&MemoryGuarantee::current_.stands);
  (void)std::uncaught_exceptions();
}

MemoryReserve::MemoryReserve() {
  allocate_thread_variables();
  {
    const std::lock_guard lock(reserve.mutex);
    if (reserve.users++ == 0) {
      reserve.earlier = std::set_new_handler(MemoryGuarantee::find_memory);
      missing_ = kMemoryReserveBlocks;
    }
  }
  fill();
}

MemoryReserve::~MemoryReserve() {
  const std::lock_guard lock(reserve.mutex);
  if (--reserve.users > 0) return;
  while (reserve.filled > 0) ::operator delete(reserve.blocks[--reserve.filled]);
  missing_ = 0;
  // If the host has set another handler meanwhile, that one stays.
  if (std::get_new_handler() == MemoryGuarantee::find_memory) {
    std::set_new_handler(reserve.earlier);
  }
}

std::size_t MemoryReserve::bytes() {
  const std::lock_guard lock(reserve.mutex);
  return reserve.filled * kMemoryReserveBlockBytes;
}

bool MemoryReserve::fill() {
  const MemoryGuarantee::Suspension suspended;
  while (missing() > 0) {
    void* const block = ::operator new(kMemoryReserveBlockBytes, std::nothrow);
    if (block == nullptr) return false;
    const std::lock_guard lock(reserve.mutex);
    if (missing() == 0) {  // another thread has filled it
      ::operator delete(block);
    } else {
      reserve.blocks[reserve.filled++] = block;
      --missing_;
    }
  }
  return true;
}

bool MemoryReserve::give() {
  const std::lock_guard lock(reserve.mutex);
  if (reserve.filled == 0) return false;
  ::operator delete(reserve.blocks[--reserve.filled]);
  ++missing_;
  return true;
}

void MemoryGuarantee::throw_no_memory() { throw std::bad_alloc(); }

// Operator new tries again when this returns.
void MemoryGuarantee::find_memory() {
  if (current_.stands) {
    if (current_.more != nullptr) return give_more();
    if (MemoryReserve::give()) return;
  }
  if (reserve.earlier != nullptr) return reserve.earlier();
  throw std::bad_alloc();
}

}  // namespace laurel
