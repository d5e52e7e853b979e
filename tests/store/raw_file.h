// raw_file.h - files that LMDB itself writes, for the tests of what checks them.
//
// Rows are as the durable store keeps them: values end in their sum. Every call to LMDB must
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

// Accepts rows whose sum is right.
Status as_written(std::string_view key, std::string_view stored);

// A directory that is gone with this, and all in it.
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

// Nothing as a value: the key is erased.
using Writes = std::vector<std::pair<std::string, std::optional<std::string>>>;

class RawFile {
 public:
  explicit RawFile(const std::string& file);
  RawFile(const RawFile&) = delete;
  RawFile& operator=(const RawFile&) = delete;
  ~RawFile();

  // One transaction.
  void write(const Writes& writes);
  // Everything, without sums, which must be right, seen in order and by key; the free list's tree
  // is read too.
  Map read() const;
  // Keeps the present state's pages from being used again until it is let go.
  void hold_state();
  void let_go();
  // As mdb_copy does.
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
  // Up to so many writes as one transaction; in a hundred, so many erase.
  void write_some(RawFile& file, Map& map, std::size_t writes, std::size_t erases);

 private:
  std::string value();

  std::mt19937_64 random_;
  std::size_t keys_;
  std::size_t value_bytes_max_;
};

}  // namespace laurel
