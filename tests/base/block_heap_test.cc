#include "base/block_heap.h"

#include <cstdint>
#include <cstring>
#include <random>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

namespace laurel {

namespace {

constexpr std::size_t kRegion = BlockHeap::kRegionBytes;
constexpr std::size_t kUnit = BlockHeap::kUnitBytes;

struct Block {
  unsigned char* memory;
  std::size_t bytes;
  unsigned char filled_with;
};

// True if the block still has the bytes that were written: no other block overlaps it.
bool is_whole(const Block& block) {
  for (std::size_t i = 0; i < block.bytes; ++i) {
    if (block.memory[i] != block.filled_with) return false;
  }
  return true;
}

// Takes and gives back random blocks, and checks each before it is given back.
void play(BlockHeap& heap, unsigned seed, int steps) {
  std::mt19937 random(seed);
  std::vector<Block> blocks;
  const auto give = [&](std::size_t at) {
    REQUIRE(is_whole(blocks[at]));
    heap.give(blocks[at].memory, blocks[at].bytes);
    blocks[at] = blocks.back();
    blocks.pop_back();
  };
  for (int step = 0; step < steps; ++step) {
    const bool grows = step / 200 % 2 == 0;
    if ((random() % 4 > 0) == grows) {
      const std::size_t most = random() % 50 == 0 ? 2 * kRegion : 40 * kUnit;
      const std::size_t bytes = 1 + random() % most;
      const Block block{static_cast<unsigned char*>(heap.take(bytes)), bytes,
                        static_cast<unsigned char>(random() % 256)};
      REQUIRE(reinterpret_cast<std::uintptr_t>(block.memory) % BlockHeap::kAlignment == 0);
      std::memset(block.memory, block.filled_with, bytes);
      blocks.push_back(block);
    } else if (!blocks.empty()) {
      give(random() % blocks.size());
    }
  }
  while (!blocks.empty()) give(random() % blocks.size());
}

}  // namespace

TEST_CASE("blocks of random calls do not overlap, and all memory is given back") {
  for (const std::size_t usual : {std::size_t{0}, kRegion, SIZE_MAX}) {
    for (unsigned seed = 0; seed < 5; ++seed) {
      CAPTURE(usual);
      CAPTURE(seed);
      BlockHeap heap(usual);
      play(heap, seed, 2000);
      CHECK(heap.bytes_taken() == 0);
      CHECK(heap.bytes_mapped() == 0);
    }
  }
}

TEST_CASE("the first blocks and small blocks come from the C library") {
  BlockHeap heap(10 * kUnit);
  void* const usual = heap.take(8 * kUnit);
  CHECK(heap.bytes_mapped() == 0);
  void* const small = heap.take(BlockHeap::kBlockMin - 1);
  CHECK(heap.bytes_mapped() == 0);
  void* const beyond = heap.take(8 * kUnit);
  CHECK(heap.bytes_taken() == 8 * kUnit);
  CHECK(heap.bytes_mapped() == kRegion);
  heap.give(usual, 8 * kUnit);
  void* const usual_again = heap.take(8 * kUnit);
  CHECK(heap.bytes_taken() == 8 * kUnit);
  heap.give(usual_again, 8 * kUnit);
  heap.give(small, BlockHeap::kBlockMin - 1);
  heap.give(beyond, 8 * kUnit);
  CHECK(heap.bytes_mapped() == 0);
}

TEST_CASE("a region is filled before the next is mapped, and its freed units are used again") {
  BlockHeap heap(0);
  constexpr std::size_t kBytes = kRegion / 8;
  std::vector<void*> blocks;
  for (int i = 0; i < 16; ++i) blocks.push_back(heap.take(kBytes));
  CHECK(heap.bytes_mapped() == 2 * kRegion);
  for (const std::size_t at : {1U, 2U, 5U, 6U}) {
    heap.give(blocks[at], kBytes);
    blocks[at] = nullptr;
  }
  blocks.push_back(heap.take(2 * kBytes));
  blocks.push_back(heap.take(2 * kBytes));
  CHECK(heap.bytes_mapped() == 2 * kRegion);
  CHECK(heap.bytes_taken() == 2 * kRegion);
  void* const one_more = heap.take(kBytes);
  CHECK(heap.bytes_mapped() == 3 * kRegion);
  heap.give(one_more, kBytes);
  CHECK_MESSAGE(heap.bytes_mapped() == 3 * kRegion, "one empty region is kept");
  for (std::size_t at = 0; at < 16; ++at) {
    if (blocks[at] != nullptr) heap.give(blocks[at], kBytes);
  }
  CHECK_MESSAGE(heap.bytes_mapped() <= 3 * kRegion, "and no more than one");
  heap.give(blocks[16], 2 * kBytes);
  heap.give(blocks[17], 2 * kBytes);
  CHECK(heap.bytes_mapped() == 0);
}

TEST_CASE("several threads can use one heap") {
  BlockHeap heap(kRegion);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 4; ++seed) {
    threads.emplace_back([&heap, seed] { play(heap, seed, 500); });
  }
  for (std::thread& each : threads) each.join();
  CHECK(heap.bytes_mapped() == 0);
}

}  // namespace laurel
