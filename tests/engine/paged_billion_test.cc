// A board of a billion rows, from a store that computes each object when it is read.
#include <random>

#include "engine/row_codec.h"
#include "paged_fixture.h"

namespace laurel {

namespace {

constexpr std::uint64_t kFanOut = 1000;
constexpr std::uint64_t kRows = kFanOut * kFanOut * kFanOut;

// Objects are numbered from 1: the root, its manifests, then the entry sets.
constexpr NodeNumber kRoot = 1;
constexpr NodeNumber kFirstManifest = 2;
constexpr NodeNumber kFirstSet = kFirstManifest + kFanOut;

// Player p000000000 leads; each score belongs to two players.
std::string id_at(std::uint64_t position) { return fmt::format("p{:09}", position); }
ScoreKey score_at(std::uint64_t position) { return position / 2; }

std::uint64_t number_in(std::string_view digits) {
  std::uint64_t number = 0;
  for (const char digit : digits) number = number * 10 + static_cast<std::uint64_t>(digit - '0');
  return number;
}

class Billion final : public Reader {
 public:
  std::optional<std::string_view> get(std::string_view key) const override {
    const std::string_view own = key.substr(Space::kPrefixBytes);
    if (own[0] == 'h') {
      form_ = head();
    } else if (own[0] == 'p') {
      const std::uint64_t position = number_in(own.substr(2));
      if (position >= kRows) return std::nullopt;
      form_ = pack(position);
    } else {
      NodeNumber number = 0;
      for (const char byte : own.substr(1))
        number = number << 8U | static_cast<unsigned char>(byte);
      form_ = node(number);
    }
    return form_;
  }
  std::unique_ptr<Cursor> cursor() const override { return nullptr; }  // not used

 private:
  static std::string head() {
    std::string form;
    ByteWriter writer(form, 48);
    for (const std::uint64_t number : {kRoot, kFirstSet + kFanOut * kFanOut - 1, std::uint64_t{3},
                                       kRows, kFanOut + 1, kFanOut * kFanOut}) {
      writer.u64(number);
    }
    return form;
  }

  static std::string pack(std::uint64_t position) {
    return pack_row({.player = {}, .score = score_at(position), .at = 0, .data = {}});
  }

  static std::string node(NodeNumber number) {
    if (number == kRoot) return manifest(kFirstManifest, 0, kFanOut * kFanOut);
    if (number < kFirstSet) {
      const std::uint64_t nth = number - kFirstManifest;
      return manifest(kFirstSet + nth * kFanOut, nth * kFanOut * kFanOut, kFanOut);
    }
    const std::uint64_t nth = number - kFirstSet;
    PagedNode set(PagedNode::Kind::entry_set, {});
    for (std::uint64_t i = 0; i < kFanOut; ++i) {
      const std::string id = id_at(nth * kFanOut + i);
      set.insert(
          i, EngineRow{.player = id, .score = score_at(nth * kFanOut + i), .at = 0, .data = {}});
    }
    if (nth + 1 < kFanOut * kFanOut) set.set_next(number + 1);
    return set.encode();
  }

  // A manifest of children with `rows` rows each, from position `first` on.
  static std::string manifest(NodeNumber child, std::uint64_t first, std::uint64_t rows) {
    PagedNode manifest(PagedNode::Kind::manifest, {});
    for (std::uint64_t i = 0; i < kFanOut; ++i, first += rows) {
      const std::string last = id_at(first + rows - 1);
      manifest.insert(
          i,
          NodeSummary{{child + i, rows, rows / 2, score_at(first)},
                      {.player = last, .score = score_at(first + rows - 1), .at = 0, .data = {}}});
    }
    return manifest.encode();
  }

  mutable std::string form_;
};

}  // namespace

TEST_CASE("S4-21: with a billion rows a rank reads one object a layer, and memory stays bounded") {
  const Billion billion;
  const std::unique_ptr<Store> none = make_memory_store();
  EngineReads reads;
  PagedSizes sizes;
  sizes.cache_bytes = 4'000'000;
  const std::unique_ptr<const PagedEngine> board =
      PagedEngine::at({.engine = EngineKind::paged}, Space(*none, 1), billion, reads, sizes);
  REQUIRE(board->size() == kRows);

  std::mt19937_64 random(21);
  for (int i = 0; i < 150; ++i) {
    const std::uint64_t position = i == 0 ? 0 : i == 1 ? kRows - 1 : random() % kRows;
    const std::string id = id_at(position);
    CAPTURE(position);
    const std::uint64_t before = reads.objects;
    REQUIRE(board->rank({id}, Ranking::competition) == position / 2 * 2 + 1);
    REQUIRE(reads.objects - before == 4);
    REQUIRE(board->rank({id}, Ranking::modified) == position / 2 * 2 + 2);
    REQUIRE(board->rank({id}, Ranking::dense) == position / 2 + 1);
    REQUIRE(board->rank({id}, Ranking::ordinal) == position + 1);
    const std::vector<KeptRow> page = rows_of(*board, position, 10);
    REQUIRE(page.size() == std::min<std::uint64_t>(10, kRows - position));
    for (std::size_t k = 0; k < page.size(); ++k) REQUIRE(page[k].player == id_at(position + k));
    REQUIRE(board->bytes() < 5'000'000);
  }
}

}  // namespace laurel
