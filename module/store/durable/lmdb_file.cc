#include "store/durable/lmdb_file.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <filesystem>
#include <lmdb.h>
#include <system_error>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "store/durable/lock_file.h"
#include "store/durable/map_size.h"
#include "store/durable/no_cursor.h"
#include "store/durable/row_sum.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

// The unnamed database, which is always open in LMDB.
constexpr MDB_dbi kMain = 1;

// LMDB sets the key comparison of a database when the database is first opened.
int open_main(MDB_env* env) {
  MDB_txn* transaction = nullptr;
  int error = mdb_txn_begin(env, nullptr, MDB_RDONLY, &transaction);
  if (error != MDB_SUCCESS) return error;
  MDB_dbi opened = 0;
  error = mdb_dbi_open(transaction, nullptr, 0, &opened);
  assert(error != MDB_SUCCESS || opened == kMain);
  mdb_txn_abort(transaction);
  return error;
}

unsigned flags_of(LmdbAccess access) {
  switch (access) {
    case LmdbAccess::write: return 0;
    case LmdbAccess::beside_writer: return MDB_RDONLY;
    case LmdbAccess::alone: break;
  }
  return MDB_RDONLY | MDB_NOLOCK;
}

MDB_val to_val(std::string_view bytes) { return {bytes.size(), const_cast<char*>(bytes.data())}; }
std::string_view to_view(const MDB_val& val) {
  return {static_cast<const char*>(val.mv_data), val.mv_size};
}

// A stored value has a checksum (row_sum.h), which was verified when the file was opened.
std::string_view value_of(std::string_view stored) {
  return stored.substr(0, stored.size() - kRowSumBytes);
}

class LmdbCursor final : public Cursor {
 public:
  LmdbCursor() = default;
  ~LmdbCursor() override { mdb_cursor_close(cursor_); }
  LmdbCursor(const LmdbCursor&) = delete;
  LmdbCursor& operator=(const LmdbCursor&) = delete;

  // Returns an error of LMDB. REQUIRES of all other calls: it is open.
  int open(MDB_txn* transaction) { return mdb_cursor_open(transaction, kMain, &cursor_); }

  // LMDB does not allow empty keys.
  bool seek(std::string_view key) override {
    if (key.empty()) return move(MDB_FIRST);
    key_ = to_val(key);
    return move(MDB_SET_RANGE);
  }
  bool seek_before(std::string_view key) override {
    if (key.empty()) return false;
    key_ = to_val(key);
    return move(MDB_SET_RANGE) ? move(MDB_PREV) : move(MDB_LAST);
  }
  bool next() override { return move(MDB_NEXT); }
  bool previous() override { return move(MDB_PREV); }
  std::string_view key() const override { return to_view(key_); }
  std::string_view value() const override { return value_of(to_view(value_)); }

 private:
  bool move(MDB_cursor_op way) {
    return mdb_cursor_get(cursor_, &key_, &value_, way) == MDB_SUCCESS;
  }

  MDB_cursor* cursor_ = nullptr;
  MDB_val key_{};
  MDB_val value_{};
};

}  // namespace

Result<std::shared_ptr<LmdbFile>> LmdbFile::open(const std::string& file,
                                                 const LmdbOptions& options) {
  const bool writes = options.access == LmdbAccess::write;
  if (writes) {
    if (const Status allocated = allocate_lock_file(file); !allocated) return allocated.refusal();
  }
  const unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | (writes && !options.syncs ? MDB_NOSYNC : 0U) |
                         flags_of(options.access);
  std::error_code absent;
  const std::uintmax_t size = std::filesystem::file_size(file, absent);
  std::size_t bytes = options.map_bytes;
  if (bytes == 0) bytes = first_map_bytes(absent ? 0 : size, options.map_bytes_max);
  for (;; bytes /= 2) {
    MDB_env* env = nullptr;
    int error = mdb_env_create(&env);
    std::shared_ptr<LmdbFile> opened(new LmdbFile(file, env));
    if (error == MDB_SUCCESS) error = opened->map(bytes, flags);
    if (error == MDB_SUCCESS && !writes) return opened;
    if (error == MDB_SUCCESS) {
      Result<NamedFile> lock = NamedFile::find(lock_file_of(file));
      if (!lock) return lock.refusal();
      opened->lock_ = std::move(*lock);
      return opened;
    }
    if (error != ENOMEM || bytes / 2 < kStoreMapBytesMin) return opened->failed("opening", error);
  }
}

int LmdbFile::map(std::size_t bytes, unsigned flags) {
  int error = mdb_env_set_mapsize(env_, bytes);
  if (error == MDB_SUCCESS) error = mdb_env_open(env_, name_.c_str(), flags, 0644);
  if (error == MDB_SUCCESS) error = open_main(env_);
  if (error != MDB_SUCCESS) return error;
  MDB_envinfo info{};
  error = mdb_env_info(env_, &info);
  map_bytes_ = info.me_mapsize;  // LMDB makes it larger if the file needs that
  return error;
}

LmdbFile::~LmdbFile() { mdb_env_close(env_); }

Refusal LmdbFile::failed(std::string_view doing, int error) const {
  if (error > 0) return file_failure(doing, name_, error);
  return {Code::unavailable, "{} \"{}\": {}", doing, escaped(name_, 120), mdb_strerror(error)};
}

Refusal LmdbFile::change_failed(int error) {
  if (error == MDB_PANIC) panics_ = true;
  is_full_ = error == MDB_MAP_FULL;
  if (!is_full_) return failed("writing", error);
  return {
      Code::unavailable,
      "\"{}\" needs more than the {} MB that this process may map (RLIMIT_AS, LimitAS, ulimit -v); "
      "at most {} MB are allowed",
      escaped(name_, 80), map_bytes_ >> 20, kStoreMapBytesMax >> 20};
}

// A file that has lost its name cannot be cut by it.
std::uint64_t LmdbFile::lock_bytes() const {
  const Result<std::uint64_t> bytes = lock_->bytes();
  return bytes ? *bytes : kStoreLockBytes;
}

Result<std::unique_ptr<LmdbFile::View>> LmdbFile::view() const {
  auto view = std::make_unique<View>(shared_from_this());
  const int error = mdb_txn_begin(env_, nullptr, MDB_RDONLY, &view->transaction_);
  if (error != MDB_SUCCESS) return failed("reading", error);
  return view;
}

Result<std::unique_ptr<LmdbFile::Change>> LmdbFile::change() {
  auto change = std::make_unique<Change>(*this);
  int error = mdb_txn_begin(env_, nullptr, 0, &change->transaction_);
  if (error == MDB_SUCCESS) error = mdb_cursor_open(change->transaction_, kMain, &change->cursor_);
  if (error != MDB_SUCCESS) return change_failed(error);
  return change;
}

Status LmdbFile::sync() {
  const int error = mdb_env_sync(env_, 1);
  if (error != MDB_SUCCESS) return failed("syncing", error);
  return Done{};
}

Status LmdbFile::copy_to(int descriptor, const std::string& target) const {
  const int error = mdb_env_copyfd2(env_, descriptor, MDB_CP_COMPACT);
  if (error > 0) return file_failure("writing", target, error);
  if (error != MDB_SUCCESS) return failed("copying", error);
  return Done{};
}

// An error means only that a slot is not freed yet.
void LmdbFile::free_dead_readers() { (void)mdb_reader_check(env_, nullptr); }

LmdbFile::View::~View() { mdb_txn_abort(transaction_); }

std::optional<std::string_view> LmdbFile::View::get(std::string_view key) const {
  MDB_val wanted = to_val(key);
  MDB_val value{};
  if (mdb_get(transaction_, kMain, &wanted, &value) != MDB_SUCCESS) return std::nullopt;
  return value_of(to_view(value));
}

std::unique_ptr<Cursor> LmdbFile::View::cursor() const {
  auto cursor = std::make_unique<LmdbCursor>();
  int error = cursor->open(transaction_);
  // A reader must not take an open that had no memory for a file without rows.
  while (error == ENOMEM) {
    ask_for_memory();
    error = cursor->open(transaction_);
  }
  if (error != MDB_SUCCESS) return std::make_unique<NoCursor>();
  return cursor;
}

std::size_t LmdbFile::View::size() const {
  MDB_stat stat{};
  return mdb_stat(transaction_, kMain, &stat) == MDB_SUCCESS ? stat.ms_entries : 0;
}

std::uint64_t LmdbFile::View::transaction() const { return mdb_txn_id(transaction_); }

LmdbFile::Change::~Change() {
  if (transaction_ == nullptr) return;
  mdb_cursor_close(cursor_);
  mdb_txn_abort(transaction_);
}

Status LmdbFile::Change::put(std::string_view key, std::string_view value) {
  MDB_val place = to_val(key);
  MDB_val room{value.size() + kRowSumBytes, nullptr};
  const int error = mdb_cursor_put(cursor_, &place, &room, MDB_RESERVE);
  if (error != MDB_SUCCESS) return file_.change_failed(error);
  auto* const stored = static_cast<char*>(room.mv_data);
  const std::array<char, kRowSumBytes> sum = row_sum(key, value);
  std::copy(value.begin(), value.end(), stored);
  std::copy(sum.begin(), sum.end(), stored + value.size());
  return Done{};
}

Status LmdbFile::Change::erase(std::string_view key) {
  MDB_val place = to_val(key);
  MDB_val value{};
  int error = mdb_cursor_get(cursor_, &place, &value, MDB_SET);
  if (error == MDB_NOTFOUND) return Done{};
  if (error == MDB_SUCCESS) error = mdb_cursor_del(cursor_, 0);
  if (error != MDB_SUCCESS) return file_.change_failed(error);
  return Done{};
}

Result<std::size_t> LmdbFile::Change::erase_some(std::string_view prefix, std::size_t entries) {
  std::size_t erased = 0;
  for (; erased < entries; ++erased) {
    MDB_val place = to_val(prefix);
    MDB_val value{};
    int error = mdb_cursor_get(cursor_, &place, &value, MDB_SET_RANGE);
    if (error == MDB_NOTFOUND) break;
    if (error == MDB_SUCCESS && !to_view(place).starts_with(prefix)) break;
    if (error == MDB_SUCCESS) error = mdb_cursor_del(cursor_, 0);
    if (error != MDB_SUCCESS) return file_.change_failed(error);
  }
  return erased;
}

ReplacedHead LmdbFile::replaced_head(MDB_txn* transaction) const {
  int descriptor = -1;
  MDB_stat stat{};
  mdb_env_get_fd(env_, &descriptor);
  mdb_env_stat(env_, &stat);
  return {descriptor, stat.ms_psize, mdb_txn_id(transaction)};
}

Status LmdbFile::Change::commit() {
  const ReplacedHead head = file_.replaced_head(transaction_);
  mdb_cursor_close(cursor_);
  const int error = mdb_txn_commit(std::exchange(transaction_, nullptr));
  if (error == MDB_SUCCESS) return Done{};
  head.put_back();
  return file_.change_failed(error);
}

}  // namespace laurel
