// raw_file.h - files written by LMDB itself, for the tests of the file check.
//
// Rows are as in the durable store: each value ends in its checksum. Each call of LMDB must
// succeed.
#pragma once

#include <cstdint>
#include <filesystem>
#include <lmdb.h>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "entries.h"
#include "long_form.h"

namespace laurel {

// Accepts rows with a correct checksum.
Status as_written(std::string_view key, std::string_view stored);

// A temporary directory, removed by the destructor with all its files.
class RawDirectory {
 public:
  RawDirectory();
  RawDirectory(const RawDirectory&) = delete;
  RawDirectory& operator=(const RawDirectory&) = delete;
  ~RawDirectory();

  std::string file(const std::string& name) const { return (path_ / name).string(); }

 private:
  std::filesystem::path path_;
};

// A value of nullopt erases the key.
using Writes = std::vector<std::pair<std::string, std::optional<std::string>>>;

class RawFile {
 public:
  explicit RawFile(const std::string& file);
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile();

  // One transaction.
  void write(const Writes& writes);
  // All rows, without their checksums, which must be correct. Reads them in order and by key, and
  // also reads the free list's tree.
  Map read() const;
  // Keeps the pages of the current state from being reused until let_go().
  void hold_state();
  void let_go();
  // Copies like mdb_copy.
  void copy(const std::string& file, bool compact) const;

  std::uint64_t transaction() const;
  std::uint64_t entries() const;
  std::uint64_t depth() const;
  std::uint64_t pages_used() const;
  std::uint64_t pages_free() const;

 private:
  MDB_stat stat(MDB_dbi tree) const;

  MDB_env* env_ = nullptr;
  MDB_txn* held_ = nullptr;
};

// Random writes to rows of an LMDB file and of a map.
class RandomRows {
 public:
  RandomRows(std::uint64_t seed, std::size_t keys, std::size_t value_bytes_max)
      : random_(seed), keys_(keys), value_bytes_max_(value_bytes_max) {}

  std::size_t below(std::size_t end) { return random_() % end; }
  std::string key();
  // Writes up to `writes` rows in one transaction; `erases` percent of them are erasures.
  void write_some(RawFile& file, Map& map, std::size_t writes, std::size_t erases);

 private:
  std::string value();

  std::mt19937_64 random_;
  std::size_t keys_;
  std::size_t value_bytes_max_;
};

}  // namespace laurel
