#include "disk_peers.h"

#include <cassert>
#include <cstring>
#include <lmdb.h>
#include <stdexcept>

#ifdef LAUREL_BENCH_SQLITE
#include <sqlite3.h>
#endif

namespace laurel {

DiskRow::DiskRow(std::string_view player, std::uint64_t score) {
  assert(player.size() == kBytes - kPrefixBytes);
  std::memcpy(key.data(), "a prefix ", kPrefixBytes);
  std::memcpy(key.data() + kPrefixBytes, player.data(), player.size());
  std::memcpy(value.data(), &score, sizeof score);
}

namespace {

class LmdbPeer final : public DiskPeer {
 public:
  explicit LmdbPeer(const std::string& file) {
    try_to(mdb_env_create(&env_));
    try_to(mdb_env_set_mapsize(env_, std::size_t{64} << 30));
    try_to(mdb_env_open(env_, file.c_str(), MDB_NOSUBDIR, 0644));
    MDB_txn* transaction = nullptr;
    try_to(mdb_txn_begin(env_, nullptr, 0, &transaction));
    try_to(mdb_dbi_open(transaction, nullptr, 0, &rows_));
    try_to(mdb_txn_commit(transaction));
  }
  ~LmdbPeer() override { mdb_env_close(env_); }
  LmdbPeer(const LmdbPeer&) = delete;
  LmdbPeer& operator=(const LmdbPeer&) = delete;

  void write(std::span<const DiskRow> rows) override {
    MDB_txn* transaction = nullptr;
    try_to(mdb_txn_begin(env_, nullptr, 0, &transaction));
    for (const DiskRow& row : rows) {
      MDB_val key{DiskRow::kBytes, const_cast<char*>(row.key.data())};
      MDB_val value{DiskRow::kBytes, const_cast<char*>(row.value.data())};
      try_to(mdb_put(transaction, rows_, &key, &value, 0));
    }
    try_to(mdb_txn_commit(transaction));
  }

 private:
  static void try_to(int error) {
    if (error != MDB_SUCCESS) throw std::runtime_error(mdb_strerror(error));
  }

  MDB_env* env_ = nullptr;
  MDB_dbi rows_ = 0;
};

#ifdef LAUREL_BENCH_SQLITE

class SqliteFile final : public SqlitePeer {
 public:
  explicit SqliteFile(const std::string& file) {
    try_to(sqlite3_open(file.c_str(), &database_));
    run("PRAGMA journal_mode = WAL");
    run("PRAGMA cache_size = -65536");
    run("CREATE TABLE rows (key BLOB PRIMARY KEY, value BLOB) WITHOUT ROWID");
    try_to(sqlite3_prepare_v2(database_,
                              "INSERT INTO rows VALUES (?1, ?2) "
                              "ON CONFLICT (key) DO UPDATE SET value = excluded.value",
                              -1, &put_, nullptr));
  }
  ~SqliteFile() override {
    sqlite3_finalize(put_);
    sqlite3_close(database_);
  }
  SqliteFile(const SqliteFile&) = delete;
  SqliteFile& operator=(const SqliteFile&) = delete;

  void sync(SqliteSync how) override {
    run(how == SqliteSync::full ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL");
  }

  void write(std::span<const DiskRow> rows) override {
    run("BEGIN");
    for (const DiskRow& row : rows) {
      sqlite3_bind_blob(put_, 1, row.key.data(), DiskRow::kBytes, SQLITE_STATIC);
      sqlite3_bind_blob(put_, 2, row.value.data(), DiskRow::kBytes, SQLITE_STATIC);
      if (sqlite3_step(put_) != SQLITE_DONE) throw std::runtime_error(sqlite3_errmsg(database_));
      sqlite3_reset(put_);
    }
    run("COMMIT");
  }

 private:
  void try_to(int error) {
    if (error != SQLITE_OK) throw std::runtime_error(sqlite3_errmsg(database_));
  }
  void run(const char* statement) {
    try_to(sqlite3_exec(database_, statement, nullptr, nullptr, nullptr));
  }

  sqlite3* database_ = nullptr;
  sqlite3_stmt* put_ = nullptr;
};

#endif

}  // namespace

std::unique_ptr<DiskPeer> make_lmdb_peer(const std::string& file) {
  return std::make_unique<LmdbPeer>(file);
}

std::unique_ptr<SqlitePeer> make_sqlite_peer([[maybe_unused]] const std::string& file) {
#ifdef LAUREL_BENCH_SQLITE
  return std::make_unique<SqliteFile>(file);
#else
  return nullptr;
#endif
}

}  // namespace laurel
