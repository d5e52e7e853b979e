// writer.h - the writer thread: takes batches from the store and commits each in one transaction.
//
//   transaction  a whole commit or nothing of it; then a limited number of rows of retired
//                prefixes, also if there is nothing else to write.
//   failure      a commit that could not be written is kept and retried, first after
//                kStoreRetryMin, at last every kStoreRetryMax. A caller that waits for it gets one
//                attempt at once. No other commit is taken until then. It is on disk only when a
//                transaction with all of it has succeeded, including its sync.
//   reopening    the file must be reopened after a failure that LMDB cannot recover from, and
//                when it has outgrown its map. The store's thread does it, between its reads.
//   cut          a file that another program has cut is not written again (operating.md).
//   threads      all calls come from the store's thread. Only wait, sync, reopen and the destructor
//                wait for the disk.
//   readers      other processes may read the file. Once in options.dead_readers_every, before a
//                transaction, the slots of those that were killed are freed, so that the pages that
//                they showed are used again.
//   priority     the writer thread never preempts the thread that wakes it. If all cores are busy
//                it waits, so that no tick loses a time slice to it.
//   signals      are blocked in the writer thread: a file that may not grow is then an error and
//                does not end the process.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "metrics/families.h"
#include "metrics/histogram.h"
#include "store/durable/commit_batch.h"
#include "store/durable/directory.h"
#include "store/durable/lmdb_file.h"

namespace laurel {

// How long to wait after that many failures in a row: kStoreRetryMin, doubled up to kStoreRetryMax.
std::chrono::microseconds retry_delay(std::uint64_t failures);

class Writer {
 public:
  // `directory` outlives the writer.
  Writer(const Directory& directory, std::shared_ptr<LmdbFile> file, const LmdbOptions& options);
  // Retries once what could not be written, and joins the thread.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The number of the last commit that is on disk.
  std::uint64_t on_disk() const { return on_disk_.load(std::memory_order_acquire); }
  // REQUIRES: the previous commit is on disk and the store no longer reads it, as for let_go.
  void take(std::shared_ptr<const CommitBatch> commit);
  // The store no longer reads the commit that is on disk, and has no new one.
  void let_go();

  // Blocks until the commit is on disk. Fails with unavailable if an attempt that began during
  // the call fails, or if the file must be reopened.
  Status wait();
  // Blocks until the system has written its cached data, for transactions that do not sync
  // themselves.
  Status sync();

  // fails() is true if the last attempt failed; status() then fails with the reason.
  bool fails() const { return fails_.load(std::memory_order_relaxed); }
  Status status() const;
  enum class Reopening : std::uint8_t { none, broken, larger };
  Reopening must_reopen() const { return must_reopen_.load(std::memory_order_relaxed); }
  // Reopens the file if `view` is its only view, replaces `view`, and lets the thread try again;
  // returns true then. Does nothing while the file has other users or the process lacks what
  // opening needs, nor before the time of the next attempt unless `at_once`. If opening fails
  // nevertheless, `view` is null until a later call succeeds.
  bool reopen(std::unique_ptr<LmdbFile::View>& view, bool at_once);
  // Null while the file could not be reopened.
  std::shared_ptr<LmdbFile> file() const;

  struct Counts {
    std::uint64_t transactions = 0;
    std::uint64_t failures = 0;
    std::uint64_t file_bytes = 0;
  };
  Counts counts() const;  // never waits
  // How long each successful transaction took.
  const Histogram& commit_times() const { return commit_times_; }

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  bool has_work() const;
  void wait_to_retry(Lock& lock);
  Status check_files(const LmdbFile& file);
  Status write_if_memory(const CommitBatch* commit);
  Status write(const CommitBatch* commit);
  void free_dead_readers(LmdbFile& file);
  static Status write_all(LmdbFile::Change& change, const CommitBatch& commit);
  static Status erase_gone(LmdbFile::Change& change, std::deque<std::string>& gone);
  void settle(const Status& written, bool was_commit);
  bool may_grow() const;
  bool open_again(std::unique_ptr<LmdbFile::View>& view, bool grows);

  const Directory& directory_;
  LmdbOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable to_writer_;
  std::condition_variable to_store_;
  std::shared_ptr<LmdbFile> file_;
  std::shared_ptr<const CommitBatch> work_;
  std::shared_ptr<const CommitBatch> done_;  // written; kept until the store no longer reads it
  bool let_go_ = false;
  bool attempts_ = false;  // a transaction is being written
  bool ends_ = false;
  // Below this number of failures the next attempt does not wait: a caller waits for it.
  std::uint64_t at_once_below_ = 0;
  std::uint64_t failures_in_a_row_ = 0;
  std::chrono::steady_clock::time_point reopens_at_;  // not before
  bool grew_in_vain_ = false;  // the process could not map more when the file was last reopened
  std::optional<Refusal> failure_;

  std::deque<std::string> gone_;  // this and the next two are changed by the writer thread only
  std::optional<Refusal> cut_;
  std::chrono::steady_clock::time_point readers_checked_ = std::chrono::steady_clock::now();
  std::atomic<std::uint64_t> on_disk_{0};
  std::atomic<std::uint64_t> transactions_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> file_bytes_{0};
  std::atomic<bool> fails_{false};
  Histogram commit_times_{kCommitBounds};  // changed by the writer thread only
  std::atomic<Reopening> must_reopen_{Reopening::none};
  std::thread thread_;  // last: it starts when all other members exist
};

}  // namespace laurel
