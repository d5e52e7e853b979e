// writer.h - the thread that writes: takes what a store hands over, and makes it one transaction.
//
//   transaction   a hand-over whole, or nothing of it; then rows of prefixes that are gone, some
//                 each time, also when nothing else is to be written.
//   failure       a hand-over that could not be written stays, and is tried again, at first after
//                 kStoreRetryMin, at last every kStoreRetryMax, and at once when somebody waits for
//                 it. Nothing else is taken meanwhile. It is on the disk when a transaction with
//                 all of it has succeeded, its sync included, and not before.
//   threads       all calls from the store's one thread. Nothing of them waits for the disk but
//                 wait, reopen and the end.
//   priority      the writer's thread never takes the core of the one that wakes it: where all
//                 cores are busy it waits for its turn, and no tick for a slice of its.
//   signals       are blocked in the writer's thread: a file that may not grow any more is an error
//                 there, and no end of the process.
#pragma once

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/result.h"
#include "store/durable/directory.h"
#include "store/durable/hand_over.h"
#include "store/durable/lmdb_file.h"

namespace laurel {

class Writer {
 public:
  // `directory` outlives the writer.
  Writer(const Directory& directory, std::shared_ptr<LmdbFile> file, const LmdbOptions& options);
  // Tries once more what is still to be written, if it failed, and ends.
  ~Writer();
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  // The number of the last hand-over that is on the disk.
  std::uint64_t on_disk() const { return on_disk_.load(std::memory_order_acquire); }
  // REQUIRES: what was taken before is on the disk, and the store has forgotten it, as for let_go.
  void take(std::shared_ptr<const HandOver> hand_over);
  // The store has forgotten the hand-over that is on the disk, and has no other.
  void let_go();

  // Waits until what was taken is on the disk. Fails with unavailable when an attempt fails that
  // began meanwhile, or when the file wants to be opened anew.
  Status wait();
  // Waits until the system has written what it kept back, where transactions do not.
  Status sync();

  // Whether the last attempt failed. Fails with its reason.
  bool fails() const { return fails_.load(std::memory_order_relaxed); }
  Status status() const;
  // Whether the file wants to be opened anew.
  bool panics() const { return panics_.load(std::memory_order_relaxed); }
  // Opens it anew, if no view of it lives but this one, and gives another for that; null when that
  // fails, and then it is to be tried again.
  void reopen(std::unique_ptr<LmdbFile::View>& view);
  // Null while it could not be opened anew.
  std::shared_ptr<LmdbFile> file() const;

  struct Counts {
    std::uint64_t transactions = 0;
    std::uint64_t failures = 0;
    std::uint64_t file_bytes = 0;
  };
  Counts counts() const;  // never waits

 private:
  using Lock = std::unique_lock<std::mutex>;

  void run();
  bool has_work() const;
  void wait_to_retry(Lock& lock);
  Status write(const HandOver* hand_over);
  static Status write_all(LmdbFile::Change& change, const HandOver& hand_over);
  static Status erase_gone(LmdbFile::Change& change, std::deque<std::string>& gone);
  void settle(const Status& written, bool was_hand_over);

  const Directory& directory_;
  LmdbOptions options_;

  mutable std::mutex mutex_;
  std::condition_variable to_writer_;
  std::condition_variable to_store_;
  std::shared_ptr<LmdbFile> file_;
  std::shared_ptr<const HandOver> work_;
  std::shared_ptr<const HandOver> done_;  // written; kept until the store does not read it any more
  bool let_go_ = false;
  bool hurry_ = false;
  bool attempts_ = false;  // a transaction is being written
  bool ends_ = false;
  std::uint64_t failures_in_a_row_ = 0;
  std::optional<Refusal> failure_;

  std::deque<std::string> gone_;  // changed by the thread alone
  std::atomic<std::uint64_t> on_disk_{0};
  std::atomic<std::uint64_t> transactions_{0};
  std::atomic<std::uint64_t> failures_{0};
  std::atomic<std::uint64_t> file_bytes_{0};
  std::atomic<bool> fails_{false};
  std::atomic<bool> panics_{false};
  std::thread thread_;  // last: it starts when all the others are there
};

}  // namespace laurel
