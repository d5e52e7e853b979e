#include "live/wire/delta.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <span>
#include <unordered_map>

#include <boost/crc.hpp>

#include "base/bytes.h"
#include "live/limits.h"
#include "live/wire/fields.h"

namespace laurel {

namespace {

// The first number of a step: the kind in the two low bits; above them the run's length or flags.
enum class Step : std::uint8_t { copy = 0, move = 1, change = 2, fresh = 3 };

// The flags of change: the fields that differ from the base. Fresh uses those from kName on for the
// fields that the entry has. kAt and kMarked are for version 2 on.
constexpr std::uint64_t kScore = 1, kRank = 2, kName = 4, kData = 8, kAt = 16, kMarked = 32;

std::uint64_t flags_of(const EntryFormat& format) {
  const std::uint64_t first = kScore | kRank | kName | kData;
  return format.version < 2 ? first : first | kAt | kMarked;
}

// The longest encoding of kind, stream, version, back, size, digest and count.
constexpr std::size_t kStateHeaderBytesMax = 1 + 5 + 3 * 8 + 4 + 1;
constexpr std::size_t kBodyBytesMax = kLiveMessageBytesMax - kStateHeaderBytesMax;

// An entry whose strings point into the bytes that it was decoded from. Ranks are in the format's
// unit.
struct EncodedEntry {
  std::string_view player;
  std::string_view score;  // as its bytes: equal scores have equal bytes
  std::uint64_t rank = 0;
  std::optional<std::string_view> name, data;
  std::optional<Time> at;
  std::uint64_t marked = 0;  // the rank at the last mark; 0: none
};

std::size_t score_bytes(const EntryFormat& format) {
  return sizeof(double) * (format.columns ? format.columns->size() : 1);
}

// Ranks as they are counted on the wire, and back.
std::uint64_t to_units(Rank rank, const EntryFormat& format) {
  return format.half_ranks ? static_cast<std::uint64_t>(2 * static_cast<double>(rank))
                           : rank.whole();
}
Rank to_rank(std::uint64_t units, const EntryFormat& format) {
  return format.half_ranks ? Rank::mean(0, units) : Rank(units);
}
double change_unit(const EntryFormat& format) { return format.half_ranks ? 0.5 : 1; }

std::span<const WindowEntry> first(const Window& window, std::size_t n) {
  return std::span(window.entries).first(std::min(n, window.entries.size()));
}

// Maps 0, -1, 1, -2, ... to 0, 1, 2, 3, ...
std::uint64_t zigzag(std::int64_t value) {
  return (static_cast<std::uint64_t>(value) << 1) ^ static_cast<std::uint64_t>(value >> 63);
}
std::int64_t unzigzag(std::uint64_t value) {
  return static_cast<std::int64_t>(value >> 1) ^ -static_cast<std::int64_t>(value & 1);
}

// --- writing

void write_step(ByteWriter& out, Step step, std::uint64_t above) {
  out.leb(above << 2 | static_cast<std::uint64_t>(step));
}

void write_score(ByteWriter& out, double score, const EntryFormat& format) {
  if (!format.columns) return out.f64(score);
  const ColumnValues values = format.columns->values(score);
  for (const double value : values.all()) out.f64(value);
}

// The rank at the last mark, as it is on the wire; 0 if there is none.
std::uint64_t marked_of(const WindowEntry& entry, const EntryFormat& format) {
  if (!entry.rank_change) return 0;
  const double was = static_cast<double>(entry.rank) + *entry.rank_change;
  return was > 0 ? static_cast<std::uint64_t>(was / change_unit(format)) : 0;
}

// Writes a fresh step, except what differs between the two kinds of entries.
template <typename AnyEntry, typename WriteScore>
void write_fresh(ByteWriter& out, const AnyEntry& entry, std::uint64_t rank, std::uint64_t marked,
                 const EntryFormat& format, WriteScore score) {
  const bool v2 = format.version >= 2;
  const bool has_at = v2 && entry.at, has_mark = v2 && marked != 0;
  write_step(out, Step::fresh,
             (entry.name ? kName : 0) | (entry.data ? kData : 0) | (has_at ? kAt : 0) |
                 (has_mark ? kMarked : 0));
  write_text(out, entry.player);
  score();
  out.leb(rank);
  if (entry.name) write_text(out, *entry.name);
  if (entry.data) write_text(out, *entry.data);
  if (has_at) write_time(out, *entry.at);
  if (has_mark) out.leb(marked);
}

void write_fresh(ByteWriter& out, const EncodedEntry& entry, const EntryFormat& format) {
  write_fresh(out, entry, entry.rank, entry.marked, format, [&] { out.bytes(entry.score); });
}

void write_fresh(ByteWriter& out, const WindowEntry& entry, const EntryFormat& format) {
  const std::uint64_t marked = format.version < 2 ? 0 : marked_of(entry, format);
  write_fresh(out, entry, to_units(entry.rank, format), marked, format,
              [&] { write_score(out, entry.score, format); });
}

std::uint64_t difference(const EncodedEntry& from, const EncodedEntry& to) {
  return (from.score != to.score ? kScore : 0) | (from.rank != to.rank ? kRank : 0) |
         (from.name != to.name ? kName : 0) | (from.data != to.data ? kData : 0) |
         (from.at != to.at ? kAt : 0) | (from.marked != to.marked ? kMarked : 0);
}

void write_change(ByteWriter& out, std::size_t index, std::uint64_t flags, const EncodedEntry& to) {
  write_step(out, Step::change, flags);
  out.leb(index);
  if (flags & kScore) out.bytes(to.score);
  if (flags & kRank) out.leb(to.rank);
  if (flags & kName) write_optional(out, to.name);
  if (flags & kData) write_optional(out, to.data);
  if (flags & kAt) write_optional(out, to.at);
  if (flags & kMarked) out.leb(to.marked);
}

void write_run(ByteWriter& out, std::size_t length, std::int64_t offset, std::int64_t shift) {
  const bool in_place = offset == 0 && shift == 0;
  write_step(out, in_place ? Step::copy : Step::move, length);
  if (in_place) return;
  out.leb(zigzag(offset));
  out.leb(zigzag(shift));
}

// --- reading

// Returns the score's bytes; each number in them is finite, and not -0.
std::string_view read_score(ByteReader& in, const EntryFormat& format) {
  const std::string_view bytes = in.bytes(score_bytes(format));
  ByteReader numbers(bytes);
  while (numbers.ok() && !numbers.at_end()) read_number(numbers);
  if (!numbers.ok()) in.fail();
  return bytes;
}

// The number of a score's bytes; nullopt if they are not values of the columns.
std::optional<double> number_of(std::string_view score, const EntryFormat& format) {
  ByteReader in(score);
  if (!format.columns) return in.f64();
  ColumnValues values{};
  values.count = format.columns->size();
  for (std::size_t i = 0; i < values.count; ++i) values.values[i] = in.f64();
  const Result<double> number = format.columns->number(values);
  // It rounds values that have more decimals than their column.
  if (!number) return std::nullopt;
  const ColumnValues rounded = format.columns->values(*number);
  if (!std::ranges::equal(rounded.all(), values.all())) return std::nullopt;
  return *number;
}

std::uint64_t read_rank(ByteReader& in) {
  const std::uint64_t rank = in.leb(kLiveNumberMax);
  if (rank < 1) in.fail();
  return rank;
}

EncodedEntry read_fresh(ByteReader& in, std::uint64_t flags, const EntryFormat& format) {
  if ((flags & ~(flags_of(format) & ~(kScore | kRank))) != 0) in.fail();
  EncodedEntry entry;
  entry.player = read_player(in);
  entry.score = read_score(in, format);
  entry.rank = read_rank(in);
  if (flags & kName) {
    entry.name = read_text(in, kPlayerNameBytesMax);
    if (entry.name->empty()) in.fail();
  }
  if (flags & kData) entry.data = read_text(in, kDataBytesMax);
  if (flags & kAt) entry.at = read_time(in);
  if (flags & kMarked) entry.marked = read_rank(in);
  return entry;
}

// Decodes the body of a whole window that this process has encoded.
std::vector<EncodedEntry> entries_of(std::string_view whole, const EntryFormat& format) {
  std::vector<EncodedEntry> entries;
  ByteReader in(whole);
  while (in.ok() && !in.at_end()) entries.push_back(read_fresh(in, in.leb() >> 2, format));
  assert(in.ok());
  return entries;
}

// Builds entries from steps. Each number is checked before it is used. Ends when the reader fails.
class Builder {
 public:
  Builder(std::span<const WindowEntry> base, std::size_t count, const EntryFormat& format)
      : base_(base), count_(count), format_(format) {
    entries_.reserve(count);
  }

  bool build(ByteReader& in) {
    while (in.ok() && entries_.size() < count_) step(in);
    return in.ok() && in.at_end();
  }

  std::vector<WindowEntry> take() { return std::move(entries_); }

 private:
  void step(ByteReader& in) {
    const std::uint64_t head = in.leb(kLiveTopMax << 2 | 3);
    const std::uint64_t above = head >> 2;
    switch (static_cast<Step>(head & 3)) {
      case Step::copy: return run(in, above, 0, 0);
      case Step::move: {
        const std::int64_t offset = unzigzag(in.leb(2 * kLiveTopMax));
        const std::int64_t shift = unzigzag(in.leb(kLiveNumberMax));
        if (offset == 0 && shift == 0) in.fail();  // must be encoded as a copy
        return run(in, above, offset, shift);
      }
      case Step::change: return change(in, above);
      case Step::fresh: return fresh(in, read_fresh(in, above, format_));
    }
  }

  void fresh(ByteReader& in, const EncodedEntry& entry) {
    WindowEntry& added = entries_.emplace_back();
    added.player = entry.player;
    added.name = entry.name;
    added.data = entry.data;
    set_score(in, added, entry.score);
    added.rank = to_rank(entry.rank, format_);
    added.at = entry.at;
    set_marked(added, entry.marked);
  }

  void set_score(ByteReader& in, WindowEntry& entry, std::string_view score) {
    if (!in.ok()) return;
    const std::optional<double> number = number_of(score, format_);
    if (!number) return in.fail();
    entry.score = *number;
  }

  // REQUIRES: the entry has its rank.
  void set_marked(WindowEntry& entry, std::uint64_t marked) {
    entry.rank_change.reset();
    if (marked == 0) return;
    const auto units = static_cast<std::int64_t>(marked - to_units(entry.rank, format_));
    entry.rank_change = static_cast<double>(units) * change_unit(format_);
  }

  void run(ByteReader& in, std::uint64_t length, std::int64_t offset, std::int64_t shift) {
    const std::int64_t from = static_cast<std::int64_t>(cursor_) + offset;
    const bool inside = in.ok() && length >= 1 && length <= count_ - entries_.size() && from >= 0 &&
                        static_cast<std::uint64_t>(from) + length <= base_.size();
    if (!inside) return in.fail();
    for (const WindowEntry& entry : base_.subspan(static_cast<std::size_t>(from), length)) {
      const std::int64_t rank = static_cast<std::int64_t>(to_units(entry.rank, format_)) + shift;
      if (rank < 1 || static_cast<std::uint64_t>(rank) > kLiveNumberMax) return in.fail();
      entries_.push_back(entry);
      set_rank(entries_.back(), static_cast<std::uint64_t>(rank));
    }
    cursor_ = static_cast<std::size_t>(from) + length;
  }

  void change(ByteReader& in, std::uint64_t flags) {
    const std::uint64_t index = in.leb(kLiveTopMax);
    const bool valid = in.ok() && flags >= 1 && flags <= flags_of(format_) && index < base_.size();
    if (!valid) return in.fail();
    WindowEntry entry = base_[index];
    if (flags & kScore) set_score(in, entry, read_score(in, format_));
    if (flags & kRank) set_rank(entry, read_rank(in));
    if (flags & kName) entry.name = read_optional(in, 1, kPlayerNameBytesMax);
    if (flags & kData) entry.data = read_optional(in, 0, kDataBytesMax);
    if (flags & kAt) entry.at = read_optional_time(in);
    if (flags & kMarked) set_marked(entry, in.leb(kLiveNumberMax));
    entries_.push_back(std::move(entry));
    cursor_ = index + 1;
  }

  // Keeps the rank at the mark.
  void set_rank(WindowEntry& entry, std::uint64_t rank) {
    const std::uint64_t marked = marked_of(entry, format_);
    entry.rank = to_rank(rank, format_);
    set_marked(entry, marked);
  }

  std::span<const WindowEntry> base_;
  std::size_t count_;
  const EntryFormat& format_;
  std::size_t cursor_ = 0;
  std::vector<WindowEntry> entries_;
};

}  // namespace

bool operator==(const EntryFormat& a, const EntryFormat& b) {
  return a.version == b.version && a.half_ranks == b.half_ranks &&
         same_columns(a.columns.get(), b.columns.get());
}

std::optional<EntryFormat> format_of(const Window& window, std::uint8_t version) {
  if (version < 2 && (window.half_ranks || window.columns)) return std::nullopt;
  return EntryFormat{version, window.half_ranks, window.columns};
}

EncodedWindow::EncodedWindow(const Window& window, std::size_t most, const EntryFormat& format)
    : size_(window.size), format_(format) {
  static_assert(kBodyBytesMax <= UINT16_MAX);
  const std::span<const WindowEntry> entries = laurel::first(window, most);
  ends_.reserve(entries.size());
  ByteWriter out(bytes_, kBodyBytesMax);
  for (const WindowEntry& entry : entries) {
    write_fresh(out, entry, format);
    if (!out.ok()) break;
    ends_.push_back(static_cast<std::uint16_t>(bytes_.size()));
  }
  bytes_.resize(ends_.empty() ? 0 : ends_.back());
  bytes_.shrink_to_fit();
}

std::string_view EncodedWindow::first(std::size_t n) const {
  const std::size_t count = std::min(n, ends_.size());
  return std::string_view(bytes_).substr(0, count == 0 ? 0 : ends_[count - 1]);
}

std::optional<std::string> whole_body(const Window& window, std::size_t n,
                                      const EntryFormat& format) {
  const EncodedWindow encoded(window, n, format);
  if (encoded.count() < first(window, n).size()) return std::nullopt;
  return std::string(encoded.first(n));
}

std::string delta_body(const Window& base, const Window& target, std::size_t n,
                       const EntryFormat& format) {
  return delta_body(EncodedWindow(base, n, format), EncodedWindow(target, n, format), n);
}

std::string delta_body(const EncodedWindow& base, const EncodedWindow& target, std::size_t n) {
  const EntryFormat& format = target.format();
  const std::vector<EncodedEntry> from = entries_of(base.first(n), format),
                                  to = entries_of(target.first(n), format);
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) places.emplace(from[i].player, i);

  std::string body;
  ByteWriter out(body, 2 * kLiveMessageBytesMax);  // the caller sends the whole window if shorter
  std::size_t cursor = 0;
  for (std::size_t i = 0; i < to.size();) {
    const auto found = places.find(to[i].player);
    if (found == places.end()) {
      write_fresh(out, to[i++], format);
      continue;
    }
    const std::size_t start = found->second;
    if (const std::uint64_t flags = difference(from[start], to[i]); (flags & ~kRank) != 0) {
      write_change(out, start, flags, to[i++]);
      cursor = start + 1;
      continue;
    }
    // Finds the longest run of entries whose only difference is a common shift of their ranks.
    const auto shift = static_cast<std::int64_t>(to[i].rank - from[start].rank);
    std::size_t length = 0;
    while (i + length < to.size() && start + length < from.size() &&
           to[i + length].player == from[start + length].player &&
           (difference(from[start + length], to[i + length]) & ~kRank) == 0 &&
           static_cast<std::int64_t>(to[i + length].rank - from[start + length].rank) == shift) {
      ++length;
    }
    write_run(out, length, static_cast<std::int64_t>(start) - static_cast<std::int64_t>(cursor),
              shift);
    cursor = start + length;
    i += length;
  }
  assert(out.ok() && "both windows fit into a message");
  return body;
}

std::uint32_t digest(const Window& window, std::size_t n, std::string_view whole) {
  State state;
  state.version = window.version;
  state.size = window.size;
  state.count = static_cast<std::uint8_t>(first(window, n).size());
  return digest(state, window.epoch, whole);
}

std::uint32_t digest(const State& state, std::uint64_t epoch, std::string_view whole) {
  std::string head;
  ByteWriter out(head, 32);
  out.u64(epoch);
  out.u64(state.version);
  out.u64(state.size);
  out.u8(state.count);
  boost::crc_optimal<32, 0x1EDC6F41, 0xFFFFFFFF, 0xFFFFFFFF, true, true> crc;
  crc.process_bytes(head.data(), head.size());
  crc.process_bytes(whole.data(), whole.size());
  return crc.checksum();
}

std::optional<Window> apply(const State& state, std::uint64_t epoch, const Window* base,
                            const EntryFormat& format) {
  assert((state.back == 0) == (base == nullptr));
  ByteReader in(state.body);
  std::span<const WindowEntry> entries;
  if (base != nullptr) entries = base->entries;
  Builder builder(entries, state.count, format);
  if (!builder.build(in)) return std::nullopt;

  Window window;
  window.epoch = epoch;
  window.version = state.version;
  window.size = state.size;
  window.entries = builder.take();
  window.columns = format.columns;
  window.half_ranks = format.half_ranks;
  const std::optional<std::string> whole = whole_body(window, window.entries.size(), format);
  if (!whole || digest(window, window.entries.size(), *whole) != state.digest) return std::nullopt;
  return window;
}

}  // namespace laurel
