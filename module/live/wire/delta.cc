#include "live/wire/delta.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <span>
#include <unordered_map>

#include <boost/crc.hpp>

#include "base/bytes.h"

namespace laurel {

namespace {

// The first number of a step: the kind in the two low bits; above them the run's length or flags.
enum class Step : std::uint8_t { copy = 0, move = 1, change = 2, fresh = 3 };

// The flags of change: the fields that differ from the base. Fresh uses the last two for the fields
// that the entry has.
constexpr std::uint64_t kScore = 1, kRank = 2, kName = 4, kData = 8;
constexpr std::uint64_t kFlagsMax = kScore | kRank | kName | kData;

// The longest encoding of kind, stream, version, back, size, digest and count.
constexpr std::size_t kStateHeaderBytesMax = 1 + 5 + 3 * 8 + 4 + 1;
constexpr std::size_t kBodyBytesMax = kLiveMessageBytesMax - kStateHeaderBytesMax;

// An entry whose strings point into the bytes that it was decoded from.
struct EncodedEntry {
  std::string_view player;
  double score = 0;
  std::uint64_t rank = 0;
  std::optional<std::string_view> name, data;
};

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

// Writes 0 for none, else the length plus one, then the bytes.
void write_optional(ByteWriter& out, std::optional<std::string_view> text) {
  out.leb(text ? text->size() + 1 : 0);
  if (text) out.bytes(*text);
}

void write_field(ByteWriter& out, std::string_view text) {
  out.leb(text.size());
  out.bytes(text);
}

// Version 1 has no other ranks than whole ones; boards with others are not shown (publisher.h).
std::uint64_t whole(std::uint64_t rank) { return rank; }
std::uint64_t whole(Rank rank) { return rank.whole(); }

template <typename AnyEntry>  // EncodedEntry or WindowEntry
void write_fresh(ByteWriter& out, const AnyEntry& entry) {
  write_step(out, Step::fresh, (entry.name ? kName : 0) | (entry.data ? kData : 0));
  write_field(out, entry.player);
  out.f64(entry.score);
  out.leb(whole(entry.rank));
  if (entry.name) write_field(out, *entry.name);
  if (entry.data) write_field(out, *entry.data);
}

std::uint64_t bits(double score) { return std::bit_cast<std::uint64_t>(score); }

std::uint64_t difference(const EncodedEntry& from, const EncodedEntry& to) {
  return (bits(from.score) != bits(to.score) ? kScore : 0) | (from.rank != to.rank ? kRank : 0) |
         (from.name != to.name ? kName : 0) | (from.data != to.data ? kData : 0);
}

void write_change(ByteWriter& out, std::size_t index, std::uint64_t flags, const EncodedEntry& to) {
  write_step(out, Step::change, flags);
  out.leb(index);
  if (flags & kScore) out.f64(to.score);
  if (flags & kRank) out.leb(to.rank);
  if (flags & kName) write_optional(out, to.name);
  if (flags & kData) write_optional(out, to.data);
}

void write_run(ByteWriter& out, std::size_t length, std::int64_t offset, std::int64_t shift) {
  const bool in_place = offset == 0 && shift == 0;
  write_step(out, in_place ? Step::copy : Step::move, length);
  if (in_place) return;
  out.leb(zigzag(offset));
  out.leb(zigzag(shift));
}

// --- reading

std::string_view read_field(ByteReader& in, std::size_t bytes_min, std::size_t bytes_max) {
  const std::uint64_t size = in.leb(bytes_max);
  if (size < bytes_min) in.fail();
  return in.bytes(size);
}

std::optional<std::string_view> read_optional(ByteReader& in, std::size_t bytes_min,
                                              std::size_t bytes_max) {
  const std::uint64_t size_and_one = in.leb(bytes_max + 1);
  if (size_and_one == 0) return std::nullopt;
  if (size_and_one <= bytes_min) in.fail();
  return in.bytes(size_and_one - 1);
}

double read_score(ByteReader& in) {
  const double score = in.f64();
  if (!std::isfinite(score) || (score == 0 && std::signbit(score))) in.fail();
  return score;
}

std::uint64_t read_rank(ByteReader& in) {
  const std::uint64_t rank = in.leb(kLiveNumberMax);
  if (rank < 1) in.fail();
  return rank;
}

EncodedEntry read_fresh(ByteReader& in, std::uint64_t flags) {
  if ((flags & ~(kName | kData)) != 0) in.fail();
  EncodedEntry entry;
  entry.player = read_field(in, 1, kPlayerBytesMax);
  if (entry.player.find('\0') != std::string::npos) in.fail();
  entry.score = read_score(in);
  entry.rank = read_rank(in);
  if (flags & kName) entry.name = read_field(in, 1, kPlayerNameBytesMax);
  if (flags & kData) entry.data = read_field(in, 0, kDataBytesMax);
  return entry;
}

// Decodes the body of a whole window that this process has encoded.
std::vector<EncodedEntry> entries_of(std::string_view whole) {
  std::vector<EncodedEntry> entries;
  ByteReader in(whole);
  while (in.ok() && !in.at_end()) entries.push_back(read_fresh(in, in.leb() >> 2));
  assert(in.ok());
  return entries;
}

// Builds entries from steps. Each number is checked before it is used. Ends when the reader fails.
class Builder {
 public:
  Builder(std::span<const WindowEntry> base, std::size_t count) : base_(base), count_(count) {
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
      case Step::fresh: return fresh(read_fresh(in, above));
    }
  }

  void fresh(const EncodedEntry& entry) {
    WindowEntry& added = entries_.emplace_back();
    added.player = entry.player;
    added.name = entry.name;
    added.data = entry.data;
    added.score = entry.score;
    added.rank = entry.rank;
  }

  void run(ByteReader& in, std::uint64_t length, std::int64_t offset, std::int64_t shift) {
    const std::int64_t from = static_cast<std::int64_t>(cursor_) + offset;
    const bool inside = in.ok() && length >= 1 && length <= count_ - entries_.size() && from >= 0 &&
                        static_cast<std::uint64_t>(from) + length <= base_.size();
    if (!inside) return in.fail();
    for (const WindowEntry& entry : base_.subspan(static_cast<std::size_t>(from), length)) {
      const std::int64_t rank = static_cast<std::int64_t>(entry.rank.whole()) + shift;
      if (rank < 1 || static_cast<std::uint64_t>(rank) > kLiveNumberMax) return in.fail();
      entries_.push_back(entry);
      entries_.back().rank = static_cast<std::uint64_t>(rank);
    }
    cursor_ = static_cast<std::size_t>(from) + length;
  }

  void change(ByteReader& in, std::uint64_t flags) {
    const std::uint64_t index = in.leb(kLiveTopMax);
    if (!in.ok() || flags < 1 || flags > kFlagsMax || index >= base_.size()) return in.fail();
    WindowEntry entry = base_[index];
    if (flags & kScore) entry.score = read_score(in);
    if (flags & kRank) entry.rank = read_rank(in);
    if (flags & kName) entry.name = read_optional(in, 1, kPlayerNameBytesMax);
    if (flags & kData) entry.data = read_optional(in, 0, kDataBytesMax);
    entries_.push_back(std::move(entry));
    cursor_ = index + 1;
  }

  std::span<const WindowEntry> base_;
  std::size_t count_;
  std::size_t cursor_ = 0;
  std::vector<WindowEntry> entries_;
};

}  // namespace

EncodedWindow::EncodedWindow(const Window& window, std::size_t most) : size_(window.size) {
  static_assert(kBodyBytesMax <= UINT16_MAX);
  const std::span<const WindowEntry> entries = laurel::first(window, most);
  ends_.reserve(entries.size());
  ByteWriter out(bytes_, kBodyBytesMax);
  for (const WindowEntry& entry : entries) {
    write_fresh(out, entry);
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

std::optional<std::string> whole_body(const Window& window, std::size_t n) {
  const EncodedWindow encoded(window, n);
  if (encoded.count() < first(window, n).size()) return std::nullopt;
  return std::string(encoded.first(n));
}

std::string delta_body(const Window& base, const Window& target, std::size_t n) {
  return delta_body(EncodedWindow(base, n), EncodedWindow(target, n), n);
}

std::string delta_body(const EncodedWindow& base, const EncodedWindow& target, std::size_t n) {
  const std::vector<EncodedEntry> from = entries_of(base.first(n)),
                                  to = entries_of(target.first(n));
  std::unordered_map<std::string_view, std::size_t> places;
  places.reserve(from.size());
  for (std::size_t i = 0; i < from.size(); ++i) places.emplace(from[i].player, i);

  std::string body;
  ByteWriter out(body, 2 * kLiveMessageBytesMax);  // the caller sends the whole window if shorter
  std::size_t cursor = 0;
  for (std::size_t i = 0; i < to.size();) {
    const auto found = places.find(to[i].player);
    if (found == places.end()) {
      write_fresh(out, to[i++]);
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

std::optional<Window> apply(const State& state, std::uint64_t epoch, const Window* base) {
  assert((state.back == 0) == (base == nullptr));
  ByteReader in(state.body);
  std::span<const WindowEntry> entries;
  if (base != nullptr) entries = base->entries;
  Builder builder(entries, state.count);
  if (!builder.build(in)) return std::nullopt;

  Window window;
  window.epoch = epoch;
  window.version = state.version;
  window.size = state.size;
  window.entries = builder.take();
  const std::optional<std::string> whole = whole_body(window, window.entries.size());
  if (!whole || digest(window, window.entries.size(), *whole) != state.digest) return std::nullopt;
  return window;
}

}  // namespace laurel
