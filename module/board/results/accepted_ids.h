// accepted_ids.h - the ids of the results that a board accepted within the last 24 hours.
//
//   id       is kept as a keyed hash of 96 bits. The key is random and the board's own, so that
//            clients who choose ids cannot choose their hashes.
//   order    of acceptance: a ring. The oldest go first, when they are 24 hours old, or when there
//            are kResultIdsMax.
//   time     by the registry's clock, as it was at the acceptance. If the clock goes back, an id
//            stays until 24 hours after that time.
//   memory   16 bytes an id, and about 6 in the index; 24 at most if there are many. Chunks of 2 KB
//            are freed as the ids in them go.
//   disk     in a durable store the ids are records of a log in a space of its own, 22 bytes each
//            (store/record_log.h); a row of the board names the space and the key. A chunk of the
//            log is dropped when none of its ids is left. If ids are beyond their number when the
//            store is opened, the oldest go.
//   cost     has(): a hash, and a cache miss if there are many ids, which prefetch() hides; one
//            more for a repeated id. add(): the bucket of the new id, and those of at most
//            kResultIdsPerCall old ones. What the next old one needs is prefetched.
//   threads  none of its own; one caller at a time.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/hash.h"
#include "base/limits.h"
#include "base/result.h"
#include "base/time.h"
#include "board/results/id_index.h"
#include "engine/engine.h"
#include "store/record_log.h"
#include "store/space.h"

namespace laurel {

class AcceptedIds {
 public:
  static constexpr Time kKept = kDay;
  // What the key is made from.
  static constexpr std::size_t kSeedBytes = 32;
  using Seed = std::array<std::byte, kSeedBytes>;

  // `board` is the board's space.
  AcceptedIds(const EngineContext& context, const Space& board);
  AcceptedIds(const AcceptedIds&) = delete;
  AcceptedIds& operator=(const AcceptedIds&) = delete;

  // Whether the store has ids of the board.
  static bool has_rows(const Space& board);
  // Call it once, before anything else, if has_rows(). Fails with bad_data.
  Status load(const Engine::LoadProgress& progress);
  // The space of the ids, if they have one.
  std::optional<SpaceNumber> space() const {
    return log_ ? std::optional(log_->space().number()) : std::nullopt;
  }
  // Erases the rows. Nothing may be called afterwards.
  void dismantle();

  IdHash hash(std::string_view id) const;
  // Prefetches what has() and add() read.
  void prefetch(const IdHash& id) const { index_.prefetch(id); }
  // Whether the id was accepted less than 24 hours before `now`.
  bool has(const IdHash& id, Time now) const;
  // Accepts the id. REQUIRES: has() is false.
  void add(const IdHash& id, Time now);
  // Drops a few ids that are too old, if there are any.
  void drop_old(Time now);

  std::size_t size() const { return size_; }
  std::size_t bytes() const;

  // ---- to export them, and to import them

  const Seed& seed() const { return seed_; }
  // REQUIRES: no ids yet.
  void set_seed(const Seed& seed);
  // The oldest first.
  void each(const std::function<void(const IdHash& id, Time at)>& visit) const;

 private:
  static constexpr std::uint32_t kChunkIds = 128;
  static constexpr std::uint32_t kChunksMax = IdIndex::kPositionsMax / kChunkIds;
  // The times of a chunk are within 2^31 of these from its base: 19 hours.
  static constexpr Time kTimeUnit = 32;
  static_assert(kResultIdsMax + kChunkIds <= kChunksMax * kChunkIds);

  struct KeptId {
    std::uint64_t low;
    std::uint32_t high;
    std::int32_t time;
  };
  struct Chunk {
    Time base;
    std::uint32_t end;  // of the ids in use
    KeptId ids[kChunkIds];
  };

  // How far ahead of the oldest id the ring is prefetched: two cache lines.
  static constexpr std::uint32_t kIdsAhead = 8;

  const Chunk& chunk_of(std::uint32_t position) const { return *chunks_[position / kChunkIds]; }
  IdHash hash_at(std::uint32_t position) const;
  Time time_at(std::uint32_t position) const;
  static std::uint32_t chunk_after(std::uint32_t chunk) {
    return chunk + 1 == kChunksMax ? 0 : chunk + 1;
  }
  std::uint32_t position_after(std::uint32_t position) const;
  Chunk& chunk_for(Time at);
  void place(const IdHash& id, Time at);
  void drop_first();
  void prefetch_next_drops() const;
  void use_key();
  void append(const IdHash& id, Time at);
  bool load_old_form(SpaceNumber space, const Engine::LoadProgress& progress);
  bool take_in(std::string_view row, const Engine::LoadProgress& progress);

  EngineContext context_;
  Space board_;
  Seed seed_{};
  HashSecret key_;
  IdIndex index_;
  std::vector<std::unique_ptr<Chunk>> chunks_;  // a ring; grows up to kChunksMax
  std::uint32_t first_ = 0;                     // the position of the oldest id
  std::uint32_t last_chunk_ = 0;                // the chunk of the newest
  std::size_t size_ = 0;
  std::optional<RecordLog> log_;  // of a durable store, from the first id on
  std::uint64_t appended_ = 0;    // ids in the log and in the chunks that were dropped
  std::string record_;            // kept to reuse its memory
};

}  // namespace laurel
