#include "engine/sharded/sharded_engine.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/invariant.h"
#include "base/limits.h"
#include "engine/gather/row_merge.h"
#include "engine/sharded/fetch_size.h"

namespace laurel {

ShardedEngine::Shard::Shard(const EngineSpec& spec, EngineContext context, SpaceNumber space,
                            MakeEngine make, const HashSecret& secret)
    : players_(secret),
      engine_(make(spec, {players_, context.store, context.last_space, context.reads}, space)) {}

std::size_t ShardedEngine::Shard::bytes() const {
  return sizeof *this - sizeof players_ + players_.bytes() + engine_->bytes();
}

ShardedEngine::Shards ShardedEngine::make_shards(const EngineSpec& spec, EngineContext context,
                                                 SpaceNumber first, MakeEngine make) {
  assert(spec.shards >= 1 && spec.shards <= kShardsMax && "a number of shards out of range");
  assert(spec.of != EngineKind::sharded && spec.of != EngineKind::rolling);
  EngineSpec of = spec;
  of.engine = spec.of;
  const HashSecret secret = HashSecret::random();
  Shards shards;
  for (std::size_t i = 0; i < spec.shards; ++i) {
    shards.push_back(std::make_unique<Shard>(of, context, first + i, make, secret));
  }
  return shards;
}

std::vector<const EngineView*> ShardedEngine::views_of(const Shards& shards) {
  std::vector<const EngineView*> views;
  for (const auto& shard : shards) views.push_back(&shard->engine());
  return views;
}

ShardedEngine::ShardedEngine(const EngineSpec& spec, EngineContext context, SpaceNumber first,
                             MakeEngine make)
    : shards_(make_shards(spec, context, first, make)),
      is_padded_(spec.of == EngineKind::padded),
      ties_(spec.ties),
      views_(views_of(shards_)),
      gather_(views_, spec.ties, context.reads) {}

std::size_t ShardedEngine::shard_of(std::string_view id) const {
  return shards_.size() == 1 ? 0 : stable_hash(id) % shards_.size();
}

bool ShardedEngine::read_once(std::size_t n, double confidence, Arena& arena,
                              std::vector<EngineRow>& out) const {
  const std::size_t wanted = std::min(n, size());
  return gather_.read_once(wanted, fetch_size(wanted, shards(), confidence), arena, out);
}

std::optional<EngineRow> ShardedEngine::find(const Player& player, Arena& arena) const {
  const Shard& shard = home(player);
  return shard.engine().find(shard.look_up(player.id), arena);
}

void ShardedEngine::find_held(const Player& player, Arena& arena,
                              std::optional<EngineRow>& row) const {
  const Shard& shard = home(player);
  shard.engine().find_held(shard.look_up(player.id), arena, row);
}

void ShardedEngine::put(const Player& player, const EngineRow& row) {
  Shard& shard = home(player);
  shard.engine().put(shard.look_up(player.id), row);
}

bool ShardedEngine::erase(const Player& player) {
  Shard& shard = home(player);
  return shard.engine().erase(shard.look_up(player.id));
}

void ShardedEngine::each_packed(const PackedVisitor& visit) const {
  for (const auto& shard : shards_) shard->engine().each_packed(visit);
}

std::optional<std::size_t> ShardedEngine::position(const Player& player) const {
  Arena arena;
  const std::optional<EngineRow> row = find(player, arena);
  if (!row) return std::nullopt;
  return gather_.count_before(*row);
}

std::optional<Rank> ShardedEngine::rank(const Player& player, Ranking ranking) const {
  Arena arena;
  const std::optional<EngineRow> row = find(player, arena);
  if (!row) return std::nullopt;
  return gather_.rank(*row, ranking);
}

// A dense rank reads the shards' scores in turn, so that only positions can be prepared.
bool ShardedEngine::prepare_ranks(Ranking, std::size_t rows) const {
  return std::all_of(views_.begin(), views_.end(), [&](const EngineView* shard) {
    return shard->prepare_ranks(Ranking::competition, rows);
  });
}

std::size_t ShardedEngine::count_between(ScoreKey best, ScoreKey worst) const {
  std::size_t rows = 0;
  for (const auto& shard : shards_) rows += shard->engine().count_between(best, worst);
  return rows;
}

void ShardedEngine::read_behind(const EngineRow* place, std::size_t first, std::size_t n,
                                Arena& arena, std::vector<EngineRow>& out) const {
  if (!is_padded_) {
    read(first, n, arena, out);
    return;
  }
  const auto begin = static_cast<std::ptrdiff_t>(out.size());
  for (const auto& shard : shards_) shard->engine().read_behind(place, first, n, arena, out);
  std::sort(out.begin() + begin, out.end(),
            [this](const EngineRow& a, const EngineRow& b) { return stands_before(a, b, ties_); });
  const auto rows = std::min<std::size_t>(n, out.size() - static_cast<std::size_t>(begin));
  out.resize(static_cast<std::size_t>(begin) + rows);
}

void ShardedEngine::load(const LoadProgress& progress) {
  for (const auto& shard : shards_) shard->engine().load(progress);
}

void ShardedEngine::write_back() {
  for (const auto& shard : shards_) shard->engine().write_back();
}

// The place is a shard's number and a place in that shard.
void ShardedEngine::scan(std::string& place, std::size_t n, Arena& arena,
                         std::vector<EngineRow>& out) const {
  constexpr std::size_t kNumberBytes = sizeof(std::uint64_t);
  std::size_t number = 0;
  std::string within;
  if (!place.empty()) {
    number = number_of_sortable(std::string_view(place).substr(0, kNumberBytes));
    within = place.substr(kNumberBytes);
  }
  const std::size_t end = out.size() + n;
  while (number < shards_.size()) {
    shards_[number]->engine().scan(within, end - out.size(), arena, out);
    if (out.size() == end) break;
    ++number;
    within.clear();
  }
  place = sortable(number) + within;
}

// Frees a few rows of each shard: empty shards end at once, and all others end together.
bool ShardedEngine::dismantle(std::size_t rows) {
  // All shards retire their rows in the store before any row is freed, so that after a crash the
  // store has the whole board or nothing.
  if (!std::exchange(dismantling_, true)) {
    std::erase_if(shards_, [](const auto& shard) { return !shard->engine().dismantle(0); });
  }
  if (shards_.empty()) return false;
  const std::size_t each = std::max<std::size_t>(rows / shards_.size(), 1);
  std::size_t asked = 0;
  std::erase_if(shards_, [&](const std::unique_ptr<Shard>& shard) {
    return asked++ < rows && !shard->engine().dismantle(each);
  });
  return !shards_.empty();
}

std::size_t ShardedEngine::bytes() const {
  std::size_t bytes = sizeof *this + shards_.size() * (sizeof(Shard*) + sizeof(EngineView*));
  for (const auto& shard : shards_) bytes += shard->bytes();
  return bytes;
}

void ShardedEngine::check() const {
  for (std::size_t i = 0; i < shards_.size(); ++i) {
    const ScoreEngine& engine = shards_[i]->engine();
    engine.check();
    Arena arena;
    std::vector<EngineRow> rows;
    engine.read(0, engine.size(), arena, rows);
    must(rows.size() == engine.size(), "a shard lists all of its rows");
    for (const EngineRow& row : rows) must(shard_of(row.player) == i, "a player is at home");
  }
}

}  // namespace laurel
