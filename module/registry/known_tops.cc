#include "registry/known_tops.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <utility>
#include <vector>

#include "base/bytes.h"
#include "base/limits.h"

namespace laurel {

namespace {

// The first bytes of a row: its form, and the moment.
constexpr std::uint8_t kKnownTopForm = 1;
constexpr std::size_t kKnownMomentAt = 1;
constexpr std::size_t kKnownContentAt = kKnownMomentAt + sizeof(std::uint64_t);

constexpr std::uint8_t kEntryHasData = 1;
constexpr std::uint8_t kEntryHasMoment = 2;
constexpr std::size_t kColumnsTextBytesMax = 4096;  // five of the longest columns take a tenth

void add_known_text(ByteWriter& writer, std::string_view text) {
  writer.leb(text.size());
  writer.bytes(text);
}

std::string_view next_known_text(ByteReader& reader, std::size_t bytes_max) {
  return reader.bytes(reader.leb(bytes_max));
}

void add_known_moment(ByteWriter& writer, Time moment) {
  writer.u64(std::bit_cast<std::uint64_t>(moment));
}

Time next_known_moment(ByteReader& reader) {
  const Time moment = std::bit_cast<Time>(reader.u64());
  const auto max = static_cast<Time>(kTimeSecondsMax) * kSecond;
  if (moment < -max || moment > max) reader.fail();
  return moment;
}

std::string packed_known_entry(const WindowEntry& entry) {
  std::string packed;
  ByteWriter writer(packed, std::numeric_limits<std::size_t>::max());
  add_known_text(writer, entry.player);
  writer.f64(entry.score);
  writer.leb(2 * entry.rank.whole() + (entry.rank.is_whole() ? 0 : 1));
  writer.u8(static_cast<std::uint8_t>((entry.data ? kEntryHasData : 0) |
                                      (entry.at ? kEntryHasMoment : 0)));
  if (entry.data) add_known_text(writer, *entry.data);
  if (entry.at) add_known_moment(writer, *entry.at);
  return packed;
}

WindowEntry next_known_entry(ByteReader& reader) {
  WindowEntry entry;
  entry.player = next_known_text(reader, kPlayerBytesMax);
  entry.score = reader.f64();
  // The mean of two positions is held in halves, as the rank was.
  entry.rank = Rank::mean(reader.leb(2 * std::uint64_t{kPlayersMax}), 0);
  const std::uint8_t has = reader.u8();
  if ((has & kEntryHasData) != 0) entry.data = std::string(next_known_text(reader, kDataBytesMax));
  if ((has & kEntryHasMoment) != 0) entry.at = next_known_moment(reader);
  if (entry.player.empty() || !std::isfinite(entry.score)) reader.fail();
  return entry;
}

// The moment of a row; the earliest, if the row is damaged.
Time known_moment_of(std::string_view row) {
  ByteReader reader(row.substr(std::min(kKnownMomentAt, row.size())));
  const Time moment = next_known_moment(reader);
  return reader.ok() ? moment : std::numeric_limits<Time>::min();
}

}  // namespace

std::string pack_known_top(const KnownTop& top, std::size_t entries_max, std::size_t bytes_max) {
  std::string row;
  ByteWriter writer(row, bytes_max);
  writer.u8(kKnownTopForm);
  add_known_moment(writer, top.known);
  add_known_text(writer, top.remote);
  writer.leb(top.top.size);
  add_known_text(writer, top.top.columns ? top.top.columns->text() : "");
  for (const WindowEntry& entry : top.top.entries) {
    if (entries_max-- == 0) break;
    writer.bytes(packed_known_entry(entry));
    if (!writer.ok()) break;
  }
  return row;
}

std::optional<KnownTop> unpack_known_top(std::string_view row) {
  ByteReader reader(row);
  if (reader.u8() != kKnownTopForm) return std::nullopt;
  KnownTop known;
  known.known = next_known_moment(reader);
  known.remote = next_known_text(reader, kRuleNameBytesMax);
  known.top.size = reader.leb();
  const std::string_view columns = next_known_text(reader, kColumnsTextBytesMax);
  if (!reader.ok()) return std::nullopt;
  if (!columns.empty()) {
    Result<ScoreColumns::Ptr> parsed = ScoreColumns::parse(columns);
    if (!parsed) return std::nullopt;
    known.top.columns = std::move(*parsed);
  }
  while (reader.ok() && !reader.at_end()) {
    WindowEntry entry = next_known_entry(reader);
    if (known.top.columns && !known.top.columns->is_whole(entry.score)) reader.fail();
    known.top.entries.push_back(std::move(entry));
  }
  if (!reader.ok()) return std::nullopt;
  return known;
}

void KnownTops::load() {
  rows_.each([&](std::string_view board, std::string_view row) {
    boards_.insert_or_assign(std::string(board), known_moment_of(row));
  });
}

std::optional<KnownTop> KnownTops::find(std::string_view board) const {
  const std::optional<std::string_view> row = rows_.get(board);
  return row ? unpack_known_top(*row) : std::nullopt;
}

void KnownTops::write(std::string_view board, std::string_view row) {
  if (!are_kept()) return;
  rows_.put(board, row);
  boards_.insert_or_assign(std::string(board), known_moment_of(row));
}

bool KnownTops::put(std::string_view board, const std::string& row, Time confirm_after) {
  const std::optional<std::string_view> kept = rows_.get(board);
  const bool same = kept && kept->size() == row.size() &&
                    kept->substr(kKnownContentAt) == std::string_view(row).substr(kKnownContentAt);
  if (same && known_moment_of(row) - known_moment_of(*kept) < confirm_after) return false;
  write(board, row);
  return true;
}

void KnownTops::confirm(std::string_view board, Time known) {
  const std::optional<std::string_view> kept = rows_.get(board);
  if (!kept || kept->size() < kKnownContentAt) return;
  std::string row(kept->substr(0, kKnownMomentAt));
  ByteWriter writer(row, kKnownContentAt);
  add_known_moment(writer, known);
  row += kept->substr(kKnownContentAt);
  write(board, row);
}

void KnownTops::erase(std::string_view board) {
  const auto found = boards_.find(board);
  if (found == boards_.end()) return;
  rows_.erase(board);
  boards_.erase(found);
}

void KnownTops::erase_oldest(const std::function<bool(std::string_view board)>& may_go) {
  const std::pair<const std::string, Time>* oldest = nullptr;
  for (const auto& each : boards_) {
    if (oldest != nullptr && each.second >= oldest->second) continue;
    if (may_go(each.first)) oldest = &each;
  }
  if (oldest != nullptr) erase(std::string(oldest->first));
}

std::size_t KnownTops::bytes_to_forget(std::string_view player) const {
  constexpr std::size_t kCopies = 8;  // unpacked, packed, and as writes of the store
  if (boards_.empty()) return 0;
  std::size_t bytes = 0;
  rows_.each([&](std::string_view, std::string_view row) {
    if (row.find(player) != row.npos) bytes += kCopies * row.size();
  });
  return bytes;
}

void KnownTops::forget(std::string_view player) {
  if (boards_.empty()) return;
  std::vector<std::string> named;
  rows_.each([&](std::string_view board, std::string_view row) {
    if (row.find(player) != row.npos) named.emplace_back(board);
  });
  for (const std::string& board : named) forget(board, player);
}

void KnownTops::forget(std::string_view board, std::string_view player) {
  if (!has(board)) return;
  std::optional<KnownTop> known = find(board);
  if (!known) return erase(board);  // its bytes may name the player
  std::vector<WindowEntry>& entries = known->top.entries;
  const std::size_t gone =
      std::erase_if(entries, [&](const WindowEntry& entry) { return entry.player == player; });
  if (gone == 0) return;
  known->top.size -= std::min<std::uint64_t>(known->top.size, gone);
  write(board, pack_known_top(*known, entries.size(), kStoreValueBytesMax));
}

}  // namespace laurel
