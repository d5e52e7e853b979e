#include <bit>
#include <cfloat>
#include <cmath>
#include <limits>
#include <random>
#include <tuple>
#include <vector>

#include <doctest/doctest.h>

#include "base/bytes.h"
#include "live/limits.h"
#include "live/snapshots.h"
#include "live/vectors.h"

namespace laurel::test {

namespace {

constexpr std::uint64_t kEpoch = 0x1122334455667788;

std::string on_the_wire(std::uint64_t number) {
  std::string bytes;
  ByteWriter out(bytes, 8);
  out.u64(number);
  return bytes;
}

// The bytes of a state that leads to the target by these steps.
std::string message(const Window& target, std::uint64_t back, std::string_view body) {
  const std::size_t n = target.entries.size();
  std::string whole;
  for (const WindowEntry& entry : target.entries) {
    whole += *whole_body(Window{0, 0, 0, {entry}}, 1);  // one by one: together they may
  }                                                     // exceed any message
  State state;
  state.stream = 1;
  state.version = target.version;
  state.back = back;
  state.size = target.size;
  state.digest = digest(target, n, whole);
  state.count = static_cast<std::uint8_t>(n);
  state.body = body;
  return encode(state);
}

std::string whole(const Window& target) { return message(target, 0, *whole_body(target, 255)); }

std::string delta(const Window& base, const Window& target) {
  return message(target, target.version - base.version, delta_body(base, target, 100));
}

class Writer {
 public:
  void sequence(const std::string& title, std::uint64_t epoch_of_it = kEpoch) {
    text_ += "\nsequence " + title + "\n";
    held_ = {};
    epoch(epoch_of_it);
  }
  void epoch(std::uint64_t next) {
    held_.epoch = next;
    text_ += "epoch " + hex(on_the_wire(next)) + "\n";
  }
  void accepted(const std::string& bytes, const Window& target) {
    const std::optional<Window> window = held_.take(bytes);
    CAPTURE(hex(bytes));
    REQUIRE(window);
    CHECK(window->entries == target.entries);
    text_ += "state " + hex(bytes) + "\n" + line_of(*window) + "\n";
    for (const WindowEntry& entry : window->entries) text_ += line_of(entry) + "\n";
  }
  void rejected(const std::string& why, const std::string& bytes) {
    CAPTURE(why);
    CAPTURE(hex(bytes));
    CHECK(!held_.take(bytes));
    text_ += "state " + hex(bytes) + "\nrejected " + why + "\n";
  }
  std::string take() { return std::move(text_); }

 private:
  std::string text_ =
      "# The live channel's states, and what a client makes of them. vectors.h says how to read\n"
      "# them.\n";
  HeldWindows held_;
};

// A board with everything that is allowed: bytes that are not text, scores with all bits, large
// ranks. Each random draw is a separate statement, so that every compiler draws in the same order.
class StrangeBoard {
 public:
  explicit StrangeBoard(std::uint64_t seed) : random_(seed) {
    epoch_ = random_() | 1;
    version_ = 1 + random_() % 1000;
    const std::uint64_t ranks = below(2) == 0 ? 100 : kLiveNumberMax - 1000;
    rank_ = 1 + random_() % ranks;
    for (std::size_t i = below(12); i > 0; --i) entries_.push_back(stranger());
  }

  Window next() {
    for (std::size_t changes = 1 + below(4); changes > 0; --changes) change();
    version_ += 1 + below(3);
    Window window{epoch_, version_, below(5) == 0 ? kLiveNumberMax - below(9) : 1000 + below(9),
                  entries_};
    for (std::size_t i = 0; i < entries_.size(); ++i) {
      entries_[i].rank = window.entries[i].rank = rank_ + i - (i > 0 ? below(2) : 0);
    }
    return window;
  }

  std::uint64_t epoch() const { return epoch_; }
  std::size_t below(std::size_t end) { return random_() % end; }

 private:
  void change() {
    const std::size_t kind = below(7);
    if (entries_.empty() || (kind == 0 && entries_.size() < 12)) {
      const auto at = place();
      entries_.insert(at, stranger());
      return;
    }
    WindowEntry& entry = entries_[below(entries_.size())];
    switch (kind) {
      case 1: entry.score = score(); break;
      case 2: entry.name = text(1, 20, 0); break;
      case 3: entry.name.reset(); break;
      case 4: entry.data = text(0, 20, 0); break;
      case 5: rank_ += rank_ < kLiveNumberMax - 2000 ? below(1000) : 0; break;
      default: {
        WindowEntry climbing = entry;
        entries_.erase(entries_.begin() + (&entry - entries_.data()));
        entries_.insert(place(), std::move(climbing));
      }
    }
  }

  std::vector<WindowEntry>::iterator place() {
    return entries_.begin() + static_cast<std::ptrdiff_t>(below(entries_.size() + 1));
  }

  WindowEntry stranger() {
    WindowEntry entry;
    entry.player = text(1, 16, 1);
    entry.score = score();
    if (below(2) == 0) entry.name = text(1, 24, 0);
    if (below(4) == 0) entry.data = text(0, 32, 0);
    return entry;
  }

  std::string text(std::size_t min, std::size_t max, int lowest_byte) {
    std::string bytes(min + below(max - min + 1), 0);
    for (char& byte : bytes) {
      byte = static_cast<char>(
          lowest_byte + static_cast<int>(below(256 - static_cast<std::size_t>(lowest_byte))));
    }
    return bytes;
  }

  double score() {
    constexpr double kScores[] = {
        0.0,     0.1,      -1.0 / 3, 5e-324,           -5e-324,           DBL_MIN,
        DBL_MAX, -DBL_MAX, 1e6,      DBL_MIN - 5e-324, 9007199254740993.0};
    if (below(3) != 0) return kScores[below(std::size(kScores))];
    for (int i = 0; i < 100; ++i) {
      const double any = std::bit_cast<double>(static_cast<std::uint64_t>(random_()));
      if (std::isfinite(any)) return any;
    }
    return 1;
  }

  std::mt19937_64 random_;
  std::uint64_t epoch_, version_, rank_;
  std::vector<WindowEntry> entries_;
};

void write_life(Writer& out, std::uint64_t seed) {
  StrangeBoard board(seed);
  out.sequence(fmt::format("a board's life, seed {}", seed), board.epoch());
  std::vector<Window> windows = {board.next()};
  out.accepted(whole(windows[0]), windows[0]);
  for (int i = 0; i < 9; ++i) {
    const Window target = board.next();
    const Window& base = windows[board.below(windows.size())];  // often not the newest
    const std::string bytes = board.below(6) == 0 ? whole(target) : delta(base, target);
    // After the kind and the stream, which the digest does not cover.
    std::string flipped = bytes;
    flipped[2 + board.below(bytes.size() - 2)] ^= static_cast<char>(1 << board.below(8));
    if (i % 3 == 0) out.rejected("a bit is flipped", flipped);
    out.accepted(bytes, target);
    windows.push_back(target);
  }
  out.epoch(board.epoch() ^ 1);
  out.rejected("of another epoch", whole(windows.back()));
}

void write_sizes(Writer& out) {
  out.sequence("the longest fields, and a hundred entries");
  Window long_one{kEpoch, 1, kLiveNumberMax, {entry(std::string(255, '\xFF'), 1, 1)}};
  long_one.entries[0].name = std::string(255, 'n');
  long_one.entries[0].data = std::string(1024, '\0');
  long_one.entries[0].rank = kLiveNumberMax;
  out.accepted(whole(long_one), long_one);
  Window hundred{kEpoch, kLiveNumberMax - 1, 100, {}};
  for (std::size_t i = 0; i < 100; ++i) {
    hundred.entries.push_back(entry(std::to_string(i), 50 - 0.5 * static_cast<double>(i), i + 1));
  }
  out.accepted(whole(hundred), hundred);
  Window last = hundred;
  last.version = kLiveNumberMax;
  std::rotate(last.entries.begin(), last.entries.begin() + 90, last.entries.end());
  for (std::size_t i = 0; i < 100; ++i) last.entries[i].rank = i + 1;
  out.accepted(delta(hundred, last), last);
  const Window nobody{kEpoch, 2, 0, {}};
  out.accepted(whole(nobody), nobody);
  const Window back_to_nobody{kEpoch, kLiveNumberMax, 0, {}};
  out.accepted(message(back_to_nobody, 1, ""), back_to_nobody);

  Window beyond = long_one;
  beyond.version = 4;
  beyond.entries[0].rank = kLiveNumberMax + 1;
  out.rejected("a rank shifted to 2^53", message(beyond, 3, std::string("\x05\x00\x02", 3)));
  hundred.entries.push_back(entry("100", 0, 101));
  out.rejected("a hundred and one entries", whole(hundred));
  // Forty entries of 1.5 KB, in a delta of about 120 bytes: no server could send that window whole.
  Window too_long{kEpoch, 3, 40, std::vector<WindowEntry>(40, long_one.entries[0])};
  std::string steps("\x04", 1);  // copy one, then 39 times move one by -1
  ByteWriter writer(steps, 1000);
  for (int i = 0; i < 39; ++i) {
    writer.leb(1 << 2 | 1);
    writer.leb(1);  // -1
    writer.leb(1);  // -1
    too_long.entries[static_cast<std::size_t>(i) + 1].rank = kLiveNumberMax - 1;
  }
  out.rejected("a window longer than any message", message(too_long, 2, steps));
  steps.resize(1 + 3 * 10);
  too_long.entries.resize(11);
  out.accepted(message(too_long, 2, steps), too_long);
}

// Steps that the encoder does not make.
class Steps {
 public:
  Steps() = default;
  Steps(const Steps& other) : bytes_(other.bytes_) {}

  Steps& leb(std::uint64_t number) { return writer_.leb(number), *this; }
  Steps& text(std::string_view text) { return writer_.leb(text.size()), bytes(text); }
  Steps& score(double score) { return writer_.f64(score), *this; }
  Steps& bytes(std::string_view bytes) { return writer_.bytes(bytes), *this; }
  Steps& head(unsigned kind, std::uint64_t above) { return leb(above << 2 | kind); }
  Steps& fresh(const WindowEntry& entry) {
    head(3, (entry.name ? 4U : 0U) | (entry.data ? 8U : 0U));
    text(entry.player).score(entry.score).leb(entry.rank.whole());
    if (entry.name) text(*entry.name);
    if (entry.data) text(*entry.data);
    return *this;
  }
  const std::string& made() const { return bytes_; }

 private:
  std::string bytes_;
  ByteWriter writer_{bytes_, kLiveMessageBytesMax};
};

Window three() {
  Window window{kEpoch, 10, 1539, {}};
  for (const auto& [player, score, rank] :
       {std::tuple("alice", 100.0, 1), std::tuple("bob", 90.0, 2), std::tuple("carol", 90.0, 2)}) {
    window.entries.push_back(entry(player, score, static_cast<std::uint64_t>(rank)));
  }
  window.entries[0].name = "Ali";
  window.entries[2].data = "d";
  return window;
}

// Entries that no board has, with a correct digest.
void write_impossible_entries(Writer& out) {
  out.sequence("entries that cannot be, under their true digest");
  const auto reject = [&](const std::string& why, const WindowEntry& entry) {
    const Window window{kEpoch, 1, 1, {entry}};
    out.rejected(why, message(window, 0, Steps().fresh(entry).made()));
  };
  const WindowEntry good = entry("p", 1, 1);
  WindowEntry bad = good;
  for (const double score :
       {-0.0, std::numeric_limits<double>::infinity(), -std::numeric_limits<double>::infinity(),
        std::numeric_limits<double>::quiet_NaN(), -std::numeric_limits<double>::quiet_NaN(),
        std::bit_cast<double>(0x7FF0000000000001)}) {
    bad.score = score;
    reject("a score that is not finite, or -0", bad);
  }
  (bad = good).rank = 0;
  reject("rank 0", bad);
  (bad = good).rank = kLiveNumberMax + 1;
  reject("rank 2^53", bad);
  (bad = good).player = "";
  reject("nobody's entry", bad);
  (bad = good).player = std::string("p\0q", 3);
  reject("a zero byte in a player's id", bad);
  (bad = good).player = std::string(256, 'p');
  reject("a player's id of 256 bytes", bad);
  (bad = good).name = "";
  reject("an empty name", bad);
  (bad = good).name = std::string(256, 'n');
  reject("a name of 256 bytes", bad);
  (bad = good).data = std::string(1025, 'd');
  reject("data of 1,025 bytes", bad);
  out.accepted(message({kEpoch, 1, 1, {good}}, 0, Steps().fresh(good).made()),
               {kEpoch, 1, 1, {good}});
}

// Steps that lead to the right window in a forbidden way, or nowhere.
void write_impossible_steps(Writer& out) {
  out.sequence("steps that cannot be, under the true digest of what they mean");
  const Window base = three();
  out.accepted(whole(base), base);
  Window same = base;
  same.version = 11;
  const auto reject = [&](const std::string& why, const Window& target, const Steps& steps) {
    out.rejected(why, message(target, 1, steps.made()));
  };
  reject("a move that is a copy", same, Steps().head(1, 3).leb(0).leb(0));
  reject("a copy of nothing", same, Steps().head(0, 0).head(0, 3));
  reject("a copy past the base's end", same, Steps().head(0, 4));
  reject("a copy behind the base's end", same, Steps().head(0, 3).head(0, 1));
  reject("an overlong copy", same, Steps().bytes(std::string("\x8C\x00", 2)));
  reject("a copy of 2^62 entries", same, Steps().leb(std::uint64_t{1} << 62));
  reject("a byte is left over", same, Steps().head(0, 3).bytes(std::string(1, '\0')));
  reject("an entry is missing", same, Steps().head(0, 2));
  reject("no steps at all", same, Steps());
  reject("a move to before the base", same, Steps().head(1, 3).leb(1).leb(0));
  reject("a move to behind the base", same, Steps().head(1, 1).leb(6).leb(0));
  reject("a move further than any base is long", same, Steps().head(1, 1).leb(201).leb(0));
  Window shifted = same;
  for (WindowEntry& entry : shifted.entries) entry.rank = entry.rank.whole() - 1;
  reject("a rank shifted to 0", shifted, Steps().head(1, 3).leb(0).leb(1));
  reject("a rank shifted by 2^53", same, Steps().head(1, 3).leb(0).leb(kLiveNumberMax + 1));
  reject("a change of nothing", same, Steps().head(2, 0).leb(0).head(0, 2));
  reject("a change of what is not there", same, Steps().head(2, 2).leb(3).leb(1).head(0, 2));
  reject("a change of unknown fields", same, Steps().head(2, 26).leb(0).leb(1).leb(0).head(0, 2));
  for (const unsigned flags : {1U, 2U, 16U}) {
    const Steps bob = Steps().head(0, 1).head(3, flags).text("bob").score(90).leb(2);
    reject("a fresh entry with unknown fields", same, Steps(bob).head(1, 1).leb(2).leb(0));
  }
  std::string fewer = message(same, 1, Steps().head(0, 3).made());
  REQUIRE(fewer[10] == 3);  // the count, after the digest
  fewer[10] = 2;
  out.rejected("more entries than there are to be", fewer);
  reject("an overlong rank", same,
         Steps().head(2, 2).leb(0).bytes(std::string("\x81\x00", 2)).head(0, 2));
  reject("a rank without an end", same, Steps().head(2, 2).leb(0).bytes("\x80\x80"));
  reject("a name longer than the message", same, Steps().head(2, 4).leb(0).leb(5).bytes("Al"));
  Window other = same;
  other.entries[0].name = "";
  reject("a change to an empty name", other, Steps().head(2, 4).leb(0).leb(1).head(0, 2));
  Window rescored = same;
  rescored.entries[0].score = -0.0;
  reject("a change to -0", rescored, Steps().head(2, 1).leb(0).score(-0.0).head(0, 2));

  // Steps that are allowed although the encoder does not make them.
  out.accepted(message(same, 1, Steps().head(2, 2).leb(0).leb(1).head(0, 2).made()), same);
  Window twice = same;
  twice.entries[1] = twice.entries[2] = twice.entries[0];
  const Steps again = Steps().head(0, 1).head(1, 1).leb(1).leb(0).head(1, 1).leb(1).leb(0);
  out.accepted(message(twice, 1, again.made()), twice);
  other.entries[0].name.reset();
  other.entries[2].data = "";
  const Steps emptied = Steps().head(2, 4).leb(0).leb(0).head(0, 1).head(2, 8).leb(2).leb(1);
  out.accepted(message(other, 1, emptied.made()), other);
}

void write_damaged_messages(Writer& out) {
  out.sequence("messages that are damaged");
  const Window base = three();
  Window newer = base;
  newer.version = 11;
  newer.entries[1].score = 95;
  out.rejected("its base never came", delta(base, newer));
  out.accepted(whole(base), base);
  Window other_base = base;
  other_base.version = 9;
  other_base.entries[0].score = 101;
  out.accepted(whole(other_base), other_base);
  const std::string good = delta(base, newer);
  for (std::size_t size = 0; size < good.size(); ++size) {
    out.rejected("cut off", good.substr(0, size));
  }
  out.rejected("a byte too many", good + '\0');
  out.rejected("the wrong base", message(newer, 2, delta_body(base, newer, 100)));
  out.rejected("a base before version 0", message(newer, 12, delta_body(base, newer, 100)));
  out.rejected("a delta that says it is whole", message(newer, 0, delta_body(base, newer, 100)));
  Window other = newer;
  other.epoch ^= std::uint64_t{1} << 63;
  out.rejected("another epoch's digest", delta(base, other));
  std::string kind = good;
  kind[0] = '\x05';
  out.rejected("another kind of message", kind);
  out.rejected("an overlong stream",
               good.substr(0, 1) + std::string("\x81\x00", 2) + good.substr(2));
  out.rejected("a stream of 2^32", good.substr(0, 1) + "\x80\x80\x80\x80\x10" + good.substr(2));
  out.rejected("an overlong version",
               good.substr(0, 2) + std::string("\x8B\x00", 2) + good.substr(3));
  Window beyond = newer;
  beyond.version = kLiveNumberMax + 1;
  out.rejected("version 2^53", whole(beyond));
  beyond.version = std::numeric_limits<std::uint64_t>::max();
  out.rejected("version 2^64 - 1", whole(beyond));
  beyond = newer;
  beyond.size = kLiveNumberMax + 1;
  out.rejected("a board of 2^53 players", delta(base, beyond));
  out.accepted(good, newer);
}

}  // namespace

std::string written_vectors() {
  Writer out;
  for (std::uint64_t seed = 1; seed <= 6; ++seed) write_life(out, seed);
  write_sizes(out);
  write_impossible_entries(out);
  write_impossible_steps(out);
  write_damaged_messages(out);
  return out.take();
}

}  // namespace laurel::test
