#include <cstring>
#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "entries.h"
#include "raw_file.h"
#include "store/check/file_check.h"

namespace laurel {

namespace {

constexpr std::size_t kPage = 4096;
constexpr std::size_t kMetaBytes = 152;
constexpr std::size_t kFreeRootAt = 80;  // in a meta page
constexpr std::size_t kMainRootAt = 128;

std::uint64_t number(std::string_view bytes, std::size_t at, std::size_t size) {
  std::uint64_t number = 0;
  std::memcpy(&number, bytes.substr(at, size).data(), size);
  return number;
}

std::string read_bytes(const std::string& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

// An LMDB file, its content after each of its transactions, and a copy of it to damage.
class Patient {
 public:
  // After `transactions` transactions the main tree has several levels and overflow runs, and the
  // free list is long because of a reader.
  Patient(std::uint64_t seed, int transactions, std::size_t keys, std::size_t value_bytes_max)
      : rows_(seed, keys, value_bytes_max) {
    Map map;
    const std::string file = directory_.file("store");
    states_[0] = map;
    RawFile lmdb(file);
    bytes_ = read_bytes(file);
    for (int step = 0; step < transactions; ++step) {
      if (step == transactions / 2) lmdb.hold_state();
      rows_.write_some(lmdb, map, step % 10 == 0 ? keys : 20, step % 3 == 1 ? 70 : 20);
      states_[lmdb.transaction()] = map;
      earlier_ = std::move(bytes_);
      bytes_ = read_bytes(file);
    }
    write(bytes_);
  }

  const std::string& bytes() const { return bytes_; }
  // The bytes before the last transaction.
  const std::string& earlier() const { return earlier_; }
  std::size_t below(std::size_t end) { return rows_.below(end); }
  std::uint64_t transaction() const { return states_.rbegin()->first; }

  // Sets the bytes of the copy.
  void write(std::string_view bytes) {
    std::filesystem::remove(damaged_);
    std::ofstream(damaged_, std::ios::binary).write(bytes.data(), static_cast<long>(bytes.size()));
  }

  void flip(std::size_t bit) {
    std::fstream out(damaged_, std::ios::binary | std::ios::in | std::ios::out);
    out.seekg(static_cast<long>(bit / 8));
    const int byte = out.get() ^ (1 << bit % 8);
    out.seekp(static_cast<long>(bit / 8));
    out.put(static_cast<char>(byte));
  }

  // Returns true if the copy is accepted. If it is not, the reason must be damage.
  bool accepted() {
    facts_ = {};
    const auto facts = check_file(damaged_, as_written, {});
    const auto in_two = check_file(damaged_, as_written, {}, CheckThreads::two);
    REQUIRE(static_cast<bool>(in_two) == static_cast<bool>(facts));
    if (!facts) {
      INFO(in_two.refusal().text());
      CHECK(in_two.refusal().code() == facts.refusal().code());
    }
    if (facts) {
      facts_ = *facts;
      return true;
    }
    INFO(facts.refusal().text());
    CHECK(facts.refusal().code() == Code::bad_data);
    return false;
  }

  // Call it if the copy was accepted: LMDB must show the state of a transaction since `oldest`, and
  // be able to continue.
  void works(std::uint64_t oldest) {
    const std::string file = directory_.file("accepted");
    std::filesystem::remove(file + "-lock");
    std::filesystem::remove(file);  // overwriting a file may force a sync
    std::filesystem::copy_file(damaged_, file);
    CAPTURE(facts_.transaction);
    REQUIRE(facts_.transaction >= oldest);
    // If no transaction has written yet, a changed transaction number has no effect.
    Map map = std::prev(states_.upper_bound(facts_.transaction))->second;
    {
      RawFile lmdb(file);
      REQUIRE(lmdb.transaction() == facts_.transaction);
      REQUIRE(lmdb.read() == map);
      for (const std::size_t erases : {50U, 90U, 20U}) rows_.write_some(lmdb, map, 60, erases);
      REQUIRE(lmdb.read() == map);
    }
    const auto facts = check_file(file, as_written, {});
    if (!facts) FAIL(facts.refusal().c_str());
    CHECK(facts->entries == map.size());
  }

  // Returns false if the copy is refused; if it is accepted, its content must be exact.
  bool survives(std::uint64_t oldest) {
    if (!accepted()) return false;
    works(oldest);
    return true;
  }

 private:
  RawDirectory directory_;
  RandomRows rows_;
  std::string damaged_ = directory_.file("damaged");
  std::map<std::uint64_t, Map> states_;
  std::string bytes_;
  std::string earlier_;
  FileFacts facts_;
};

}  // namespace

TEST_CASE("with any flipped bit in the metas a file is refused or shows exact rows") {
  // The last transaction's number decides which of its flipped bits look like another transaction's
  // number. The short form still covers each bit position of a byte.
  const std::size_t stride = short_or_long(5, 1);
  for (const int transactions : {0, 1, 2, 6, 9}) {
    CAPTURE(transactions);
    Patient patient(5, transactions, short_or_long(60, 1000), 9000);
    REQUIRE(patient.accepted());
    int refused = 0;
    for (std::size_t page = 0; page < 2; ++page) {
      for (std::size_t bit = 0; bit < kMetaBytes * 8; bit += stride) {
        CAPTURE(page);
        CAPTURE(bit);
        patient.flip(page * kPage * 8 + bit);
        if (!patient.survives(patient.transaction())) ++refused;
        patient.flip(page * kPage * 8 + bit);
      }
    }
    CHECK(refused > static_cast<int>(2 * 8 * 50 / stride));  // most bits have a meaning
  }
}

TEST_CASE("bits in the unused room of the metas have no effect") {
  Patient patient(6, 3, 30, 100);
  const std::size_t stride = short_or_long(43, 1);
  for (std::size_t page = 0; page < 2; ++page) {
    for (std::size_t bit = kMetaBytes * 8; bit < kPage * 8; bit += stride) {
      CAPTURE(page);
      CAPTURE(bit);
      patient.flip(page * kPage * 8 + bit);
      REQUIRE(patient.accepted());
      patient.flip(page * kPage * 8 + bit);
    }
  }
}

TEST_CASE("with any flipped bit a file is refused or shows exact rows") {
  const int files = short_or_long(4, 40);
  for (int seed = 0; seed < files; ++seed) {
    CAPTURE(seed);
    Patient patient(static_cast<std::uint64_t>(seed), 20 + seed % 3, seed % 2 == 0 ? 800 : 100,
                    20'000);
    const std::size_t bits = patient.bytes().size() * 8;
    int refused = 0;
    int survived = 0;
    for (int round = 0; round < short_or_long(150, 3000); ++round) {
      CAPTURE(round);
      std::vector<std::size_t> flipped;
      for (std::size_t left = 1 + patient.below(2) * patient.below(3); left > 0; --left) {
        flipped.push_back(patient.below(bits));
        patient.flip(flipped.back());
      }
      ++(patient.survives(patient.transaction()) ? survived : refused);
      for (const std::size_t bit : flipped) patient.flip(bit);
    }
    CHECK(refused > 0);
    CHECK(survived > 0);
  }
}

TEST_CASE("with any flipped bit in the roots of both trees a file is refused or shows exact rows") {
  for (int seed = 0; seed < short_or_long(4, 40); ++seed) {
    CAPTURE(seed);
    // Long keys and short values fill the branch pages.
    Patient patient(static_cast<std::uint64_t>(300 + seed), 10 + seed, 250, 50);
    const std::size_t meta = patient.transaction() % 2 * kPage;
    for (const std::size_t root_at : {kFreeRootAt, kMainRootAt}) {
      CAPTURE(root_at);
      const std::size_t page = number(patient.bytes(), meta + root_at, 8) * kPage;
      const std::size_t lower = number(patient.bytes(), page + 12, 2);
      const std::size_t upper = number(patient.bytes(), page + 14, 2);
      int refused = 0;
      for (int round = 0; round < short_or_long(150, 4000); ++round) {
        std::size_t byte = patient.below(lower + kPage - upper);
        if (byte >= lower) byte += upper - lower;
        const std::size_t bit = (page + byte) * 8 + patient.below(8);
        CAPTURE(bit);
        patient.flip(bit);
        if (!patient.survives(patient.transaction())) ++refused;
        patient.flip(bit);
      }
      CHECK(refused > 0);
    }
  }
}

TEST_CASE("with any flipped bit in page headers and nodes a file is refused or shows exact rows") {
  for (int seed = 0; seed < short_or_long(2, 50); ++seed) {
    CAPTURE(seed);
    Patient patient(static_cast<std::uint64_t>(100 + seed), 12, 150, 9000);
    int refused = 0;
    for (std::size_t page = 2; page < patient.bytes().size() / kPage; ++page) {
      for (int round = 0; round < short_or_long(6, 200); ++round) {
        const std::size_t bit = (page * kPage + patient.below(64)) * 8 + patient.below(8);
        CAPTURE(bit);
        patient.flip(bit);
        if (!patient.survives(patient.transaction())) ++refused;
        patient.flip(bit);
      }
    }
    CHECK(refused > 0);
  }
}

TEST_CASE("a file truncated anywhere is refused or shows exact rows") {
  Patient patient(9, 25, 400, 30'000);
  const std::string& bytes = patient.bytes();
  const auto cut = [&](std::size_t size) {
    CAPTURE(size);
    patient.write(std::string_view(bytes).substr(0, size));
    return patient.survives(patient.transaction());
  };
  int refused = 0;
  for (std::size_t size = 0; size < bytes.size(); size += kPage) {
    if (!cut(size)) ++refused;
    if (!cut(size + 1)) ++refused;
  }
  for (int round = 0; round < 200; ++round) {
    if (!cut(patient.below(bytes.size()))) ++refused;
  }
  CHECK(refused > 200);
  CHECK(cut(bytes.size()));
}

TEST_CASE(
    "with pages zeroed, swapped or restored from an older state a file is refused or shows exact "
    "rows") {
  for (int seed = 0; seed < short_or_long(1, 40); ++seed) {
    CAPTURE(seed);
    Patient patient(static_cast<std::uint64_t>(200 + seed), 15 + seed, 300, 20'000);
    const std::string& bytes = patient.bytes();
    const std::string& earlier = patient.earlier();
    const std::size_t pages = bytes.size() / kPage;
    for (std::size_t page = 0; page < pages; ++page) {
      CAPTURE(page);
      const std::size_t at = page * kPage;

      std::string zeroed = bytes;
      zeroed.replace(at, kPage, kPage, '\0');
      patient.write(zeroed);
      patient.survives(patient.transaction());

      const std::size_t other = patient.below(pages) * kPage;
      CAPTURE(other);
      std::string swapped = bytes;
      swapped.replace(at, kPage, bytes, other, kPage);
      swapped.replace(other, kPage, bytes, at, kPage);
      patient.write(swapped);
      patient.survives(patient.transaction());

      std::string doubled = bytes;
      doubled.replace(at, kPage, bytes, other, kPage);
      patient.write(doubled);
      patient.survives(patient.transaction());

      if (page < 2 || at + kPage > earlier.size()) continue;  // metas are tested below
      std::string mixed = bytes;
      mixed.replace(at, kPage, earlier, at, kPage);
      patient.write(mixed);
      patient.survives(patient.transaction());
    }
  }
}

TEST_CASE("a file with the meta of an older copy is refused or shows that copy's rows") {
  for (const int transactions : {1, 2, 5, 12, 13}) {
    CAPTURE(transactions);
    for (const int ago : {1, 2, 3, 4, 7}) {
      CAPTURE(ago);
      if (ago > transactions) continue;
      const Patient older(31, transactions - ago, 300, 9000);
      Patient patient(31, transactions, 300, 9000);
      for (const std::size_t from : {0U, 1U}) {
        for (const std::size_t to : {0U, 1U}) {
          CAPTURE(from);
          CAPTURE(to);
          std::string mixed = patient.bytes();
          mixed.replace(to * kPage, kPage, older.bytes(), from * kPage, kPage);
          patient.write(mixed);
          patient.survives(0);
        }
      }
      std::string mixed = patient.bytes();
      mixed.replace(0, 2 * kPage, older.bytes(), 0, 2 * kPage);
      patient.write(mixed);
      patient.survives(0);
    }
  }
}

}  // namespace laurel
