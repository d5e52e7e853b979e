#include "raw_file.h"

#include <cstdlib>
#include <string_view>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/limits.h"
#include "store/durable/row_sum.h"

namespace laurel {

namespace {

constexpr MDB_dbi kFreeTree = 0;
constexpr MDB_dbi kMainTree = 1;
constexpr std::size_t kMapBytes = std::size_t{4} << 30;

void must(int answer) {
  INFO("LMDB says ", mdb_strerror(answer));
  REQUIRE(answer == MDB_SUCCESS);
}

MDB_val value_of(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }

std::string_view view_of(const MDB_val& value) {
  return {static_cast<const char*>(value.mv_data), value.mv_size};
}

// A transaction; aborted unless it was committed.
class Transaction {
 public:
  Transaction(MDB_env* env, unsigned flags) { must(mdb_txn_begin(env, nullptr, flags, &txn_)); }
  Transaction(const Transaction&) = delete;
  Transaction& operator=(const Transaction&) = delete;
  ~Transaction() {
    if (txn_ != nullptr) mdb_txn_abort(txn_);
  }

  MDB_txn* get() const { return txn_; }
  void commit() { must(mdb_txn_commit(std::exchange(txn_, nullptr))); }

 private:
  MDB_txn* txn_ = nullptr;
};

template <typename See>
void each(MDB_txn* txn, MDB_dbi tree, const See& see) {
  MDB_cursor* cursor = nullptr;
  must(mdb_cursor_open(txn, tree, &cursor));
  MDB_val key;
  MDB_val value;
  int answer = mdb_cursor_get(cursor, &key, &value, MDB_FIRST);
  for (; answer == MDB_SUCCESS; answer = mdb_cursor_get(cursor, &key, &value, MDB_NEXT)) {
    see(view_of(key), view_of(value));
  }
  mdb_cursor_close(cursor);
  if (answer != MDB_NOTFOUND) must(answer);
}

}  // namespace

Status as_written(std::string_view key, std::string_view stored) {
  if (checked(key, stored)) return Done{};
  return Refusal(Code::bad_data, "a row's sum is wrong");
}

RawDirectory::RawDirectory() {
  std::string pattern = (std::filesystem::temp_directory_path() / "laurel-XXXXXX").string();
  if (mkdtemp(pattern.data()) == nullptr) std::abort();
  path_ = pattern;
}

RawDirectory::~RawDirectory() { std::filesystem::remove_all(path_); }

RawFile::RawFile(const std::string& file) {
  must(mdb_env_create(&env_));
  must(mdb_env_set_mapsize(env_, kMapBytes));
  must(mdb_env_open(env_, file.c_str(), MDB_NOSUBDIR | MDB_NOTLS | MDB_NOSYNC, 0644));
  Transaction first(env_, MDB_RDONLY);
  MDB_dbi main = 0;
  must(mdb_dbi_open(first.get(), nullptr, 0, &main));
  REQUIRE(main == kMainTree);
}

RawFile::~RawFile() {
  let_go();
  mdb_env_close(env_);
}

void RawFile::write(const Writes& writes) {
  Transaction txn(env_, 0);
  for (const auto& [key, value] : writes) {
    MDB_val at = value_of(key);
    if (!value) {
      if (const int answer = mdb_del(txn.get(), kMainTree, &at, nullptr); answer != MDB_NOTFOUND) {
        must(answer);
      }
      continue;
    }
    std::string stored = *value;
    append_sum(key, stored);
    MDB_val put = value_of(stored);
    must(mdb_put(txn.get(), kMainTree, &at, &put, 0));
  }
  txn.commit();
}

Map RawFile::read() const {
  Map map;
  const Transaction txn(env_, MDB_RDONLY);
  each(txn.get(), kMainTree, [&](std::string_view key, std::string_view stored) {
    const auto value = checked(key, stored);
    REQUIRE(value.has_value());
    map.emplace(key, *value);
  });
  for (const auto& [key, value] : map) {
    MDB_val at = value_of(key);
    MDB_val stored;
    must(mdb_get(txn.get(), kMainTree, &at, &stored));
    REQUIRE(checked(key, view_of(stored)) == std::optional<std::string_view>(value));
  }
  each(txn.get(), kFreeTree, [](std::string_view, std::string_view) {});
  return map;
}

void RawFile::hold_state() {
  let_go();
  must(mdb_txn_begin(env_, nullptr, MDB_RDONLY, &held_));
}

void RawFile::let_go() {
  if (held_ != nullptr) mdb_txn_abort(std::exchange(held_, nullptr));
}

void RawFile::copy(const std::string& file, bool compact) const {
  must(mdb_env_copy2(env_, file.c_str(), compact ? MDB_CP_COMPACT : 0));
}

MDB_stat RawFile::stat(MDB_dbi tree) const {
  const Transaction txn(env_, MDB_RDONLY);
  MDB_stat stat{};
  must(mdb_stat(txn.get(), tree, &stat));
  return stat;
}

std::uint64_t RawFile::transaction() const {
  MDB_envinfo facts{};
  must(mdb_env_info(env_, &facts));
  return facts.me_last_txnid;
}

std::uint64_t RawFile::entries() const { return stat(kMainTree).ms_entries; }

std::uint64_t RawFile::depth() const { return stat(kMainTree).ms_depth; }

std::uint64_t RawFile::pages_used() const {
  std::uint64_t pages = 2;  // the metas
  for (const MDB_dbi tree : {kFreeTree, kMainTree}) {
    const MDB_stat counts = stat(tree);
    pages += counts.ms_branch_pages + counts.ms_leaf_pages + counts.ms_overflow_pages;
  }
  return pages;
}

std::uint64_t RawFile::pages_free() const {
  std::uint64_t pages = 0;
  const Transaction txn(env_, MDB_RDONLY);
  each(txn.get(), kFreeTree, [&](std::string_view, std::string_view list) {
    std::uint64_t count = 0;
    REQUIRE(list.copy(reinterpret_cast<char*>(&count), sizeof count) == sizeof count);
    pages += count;
  });
  return pages;
}

std::string RandomRows::key() {
  const std::size_t number = below(keys_);
  switch (number % 4) {
    case 0: return fmt::format("b#{}", number);
    case 1: return fmt::format("SCORE#{:010}#p{}", number, number % 7);
    case 2: return std::string(number % 400 + 1, 'k') + fmt::format("{}", number);
    default: return std::string(kStoreKeyBytesMax - 6, 'x') + fmt::format("{:06}", number);
  }
}

std::string RandomRows::value() {
  const std::size_t kind = below(100);
  std::size_t length = below(40);
  if (kind < 20) length = below(500);
  if (kind < 10) length = below(5000);
  if (kind < 5) length = 0;
  if (kind < 2) length = below(value_bytes_max_ + 1);
  return std::string(length, static_cast<char>(below(256)));
}

void RandomRows::write_some(RawFile& file, Map& map, std::size_t writes, std::size_t erases) {
  Writes batch;
  for (std::size_t left = below(writes) + 1; left > 0; --left) {
    const std::string at = key();
    if (below(100) < erases) {
      map.erase(at);
      batch.emplace_back(at, std::nullopt);
    } else {
      const std::string& put = map.insert_or_assign(at, value()).first->second;
      batch.emplace_back(at, put);
    }
  }
  file.write(batch);
}

}  // namespace laurel
