#include "store/durable/writer.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cerrno>
#include <csignal>
#include <fcntl.h>
#include <new>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <utility>
#include <vector>

#include "base/file_descriptor.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/process/signals.h"
#include "base/text.h"
#include "store/durable/lock_file.h"
#include "store/durable/map_size.h"
#include "store/file_failure.h"

namespace laurel {

namespace {

Refusal not_open() { return {Code::unavailable, "the file could not be reopened"}; }

Refusal cut(const std::string& file, std::uint64_t from, std::uint64_t to) {
  return {Code::unavailable,
          "\"{}\" was cut from {} to {} bytes by another program while it was open",
          escaped(file, 120), from, to};
}

// What LMDB opens: the file twice, and its lock file.
constexpr std::size_t kDescriptorsOfLmdb = 3;

// That many descriptors, as a proof that the process may open them.
using Descriptors = std::array<FileDescriptor, kDescriptorsOfLmdb>;
Descriptors spare_descriptors(const std::string& file) {
  const auto one = [&file] { return FileDescriptor(::open(file.c_str(), O_RDONLY | O_CLOEXEC)); };
  return {one(), one(), one()};
}

// True if the process may map that much more.
bool may_map(std::size_t bytes) {
  void* const at =
      ::mmap(nullptr, bytes, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) return false;
  ::munmap(at, bytes);
  return true;
}

}  // namespace

std::chrono::microseconds retry_delay(std::uint64_t failures) {
  constexpr std::uint64_t kDoublingsMax = 10;  // enough for any limits, and no overflow
  const std::uint64_t doublings = std::min(failures > 0 ? failures - 1 : 0, kDoublingsMax);
  return std::chrono::microseconds(std::min(kStoreRetryMin << doublings, kStoreRetryMax));
}

Writer::Writer(const Directory& directory, std::shared_ptr<LmdbFile> file,
               const LmdbOptions& options)
    : directory_(directory), options_(options), file_(std::move(file)) {
  if (const Result<std::uint64_t> bytes = directory_.file_bytes()) file_bytes_ = *bytes;
  const SignalsBlocked blocked;
  thread_ = std::thread([this] { run(); });
}

Writer::~Writer() {
  {
    const Lock lock(mutex_);
    ends_ = true;
  }
  to_writer_.notify_one();
  thread_.join();
}

// ---- the store's side

void Writer::take(std::shared_ptr<const CommitBatch> commit) {
  {
    const Lock lock(mutex_);
    assert(!work_ && "one commit at a time");
    let_go_ = done_ != nullptr;
    work_ = std::move(commit);
  }
  to_writer_.notify_one();
}

void Writer::let_go() {
  {
    const Lock lock(mutex_);
    let_go_ = true;
  }
  to_writer_.notify_one();
}

Status Writer::wait() {
  Lock lock(mutex_);
  // An attempt already in progress may have met a disk error that is fixed by now, so it does not
  // count.
  const std::uint64_t enough = failures_ + (attempts_ ? 2 : 1);
  at_once_below_ = enough;
  to_writer_.notify_one();
  to_store_.wait(lock,
                 [&] { return !work_ || must_reopen() != Reopening::none || failures_ >= enough; });
  if (!work_) return Done{};
  if (failure_) return *failure_;
  return Refusal(Code::unavailable,
                 "\"{}\" is reopened with a larger map when no snapshot of it is open",
                 escaped(directory_.file(), 120));
}

Status Writer::sync() {
  if (options_.syncs) return Done{};
  const std::shared_ptr<LmdbFile> file = this->file();
  if (!file) return not_open();
  return file->sync();
}

Status Writer::status() const {
  const Lock lock(mutex_);
  if (failure_) return *failure_;
  return Done{};
}

// If an attempt is in progress it also holds the file; then a later call reopens it.
bool Writer::reopen(std::unique_ptr<LmdbFile::View>& view, bool at_once) {
  const Reopening why = must_reopen();
  if (why == Reopening::none) return false;
  const Lock lock(mutex_);
  if (file_.use_count() > (view ? 2 : 1)) return false;
  const auto now = std::chrono::steady_clock::now();
  if (why == Reopening::broken && !at_once && now < reopens_at_) return false;
  reopens_at_ = now + retry_delay(failures_in_a_row_);
  if (const Result<std::uint64_t> bytes = directory_.file_bytes(); !bytes) {
    failure_ = bytes.refusal();
    return false;
  }
  if (!open_again(view, why == Reopening::larger)) return false;
  must_reopen_ = Reopening::none;
  at_once_below_ = failures_ + 1;
  to_writer_.notify_one();
  return true;
}

// LMDB allows a process one environment of a file, so the old one is closed first. What the new one
// needs is tried before: without a view, reads would find nothing in the file.
bool Writer::open_again(std::unique_ptr<LmdbFile::View>& view, bool grows) {
  LmdbOptions options = options_;
  if (file_) {
    options.map_bytes = file_->map_bytes();
    const std::size_t before = options.map_bytes;
    if (grows) {
      options.map_bytes = grown_map_bytes(before, options.map_bytes_max).value_or(before);
      grew_in_vain_ = options.map_bytes == before || !may_map(options.map_bytes - before);
      if (grew_in_vain_) return true;  // the next attempt fails with the reason
    }
    const Descriptors spare = spare_descriptors(directory_.file());
    if (spare.back().get() < 0) {
      failure_ = file_failure("opening", directory_.file(), errno);
      return false;
    }
    view.reset();
    file_.reset();
  }
  Result<std::shared_ptr<LmdbFile>> file = LmdbFile::open(directory_.file(), options);
  if (file) {
    Result<std::unique_ptr<LmdbFile::View>> again = (*file)->view();
    if (again) {
      view = std::move(*again);
      file_ = std::move(*file);
      return true;
    }
    file = again.refusal();
  }
  failure_ = file.refusal();
  must_reopen_ = Reopening::broken;
  return false;
}

std::shared_ptr<LmdbFile> Writer::file() const {
  const Lock lock(mutex_);
  return file_;
}

Writer::Counts Writer::counts() const { return {transactions_, failures_, file_bytes_}; }

// ---- the thread

bool Writer::has_work() const { return work_ || (!gone_.empty() && !ends_); }

void Writer::run() {
  allocate_thread_variables();
  pthread_setname_np(pthread_self(), "laurel-writer");
  const sched_param no_priority{};
  pthread_setschedparam(pthread_self(), SCHED_BATCH, &no_priority);
  Lock lock(mutex_);
  for (;;) {
    to_writer_.wait(lock, [this] { return has_work() || let_go_ || ends_; });
    if (std::exchange(let_go_, false)) {
      std::shared_ptr<const CommitBatch> freed = std::exchange(done_, nullptr);
      lock.unlock();  // freeing it may take long
      freed.reset();
      lock.lock();
      continue;
    }
    if (!has_work()) return;  // the store is being destroyed
    const bool last = ends_;
    const std::shared_ptr<const CommitBatch> work = work_;
    attempts_ = true;
    lock.unlock();
    const auto began = std::chrono::steady_clock::now();
    const Status written = write_if_memory(work.get());
    const std::chrono::nanoseconds took = std::chrono::steady_clock::now() - began;
    if (written) commit_times_.observe(static_cast<std::uint64_t>(took.count()));
    lock.lock();
    attempts_ = false;
    settle(written, work != nullptr);
    if (written) continue;
    if (last) return;
    wait_to_retry(lock);
  }
}

// A failed commit is retried after a delay, or at once if a caller waits for it. If the file
// must be reopened, it is retried only after that.
void Writer::wait_to_retry(Lock& lock) {
  if (must_reopen() != Reopening::none) {
    to_writer_.wait(lock, [this] { return must_reopen() == Reopening::none || ends_; });
    return;
  }
  to_writer_.wait_for(lock, retry_delay(failures_in_a_row_),
                      [this] { return failures_ < at_once_below_ || ends_; });
}

// True if the attempt failed because the file has outgrown its map, and a larger one can be had.
bool Writer::may_grow() const {
  return file_ && file_->is_full() && !grew_in_vain_ &&
         grown_map_bytes(file_->map_bytes(), options_.map_bytes_max);
}

void Writer::settle(const Status& written, bool was_commit) {
  if (written) {
    ++transactions_;
    failures_in_a_row_ = 0;
    failure_.reset();
    fails_ = false;
    if (was_commit) {
      on_disk_.store(work_->number, std::memory_order_release);
      done_ = std::move(work_);
      work_.reset();
    }
  } else if (may_grow()) {
    must_reopen_ = Reopening::larger;
  } else {
    ++failures_;
    ++failures_in_a_row_;
    failure_ = written.refusal();
    fails_ = true;
    must_reopen_ = !file_ || file_->panics() ? Reopening::broken : Reopening::none;
    reopens_at_ = std::chrono::steady_clock::now() + retry_delay(failures_in_a_row_);
    grew_in_vain_ = false;  // the process may have more by the next attempt
  }
  to_store_.notify_all();
}

// If the file was removed or replaced, it must not be written: nothing in it would be found again.
// If it was cut, LMDB would read beyond its end, and the system would end the process with SIGBUS.
Status Writer::check_files(const LmdbFile& file) {
  if (cut_) return *cut_;
  const Result<std::uint64_t> bytes = directory_.file_bytes();
  if (!bytes) return bytes.refusal();
  if (*bytes < file_bytes_) {
    cut_ = cut(directory_.file(), file_bytes_, *bytes);
  } else if (const std::uint64_t left = file.lock_bytes(); left < kStoreLockBytes) {
    cut_ = cut(lock_file_of(directory_.file()), kStoreLockBytes, left);
    // LMDB writes into it once more when it is closed.
    (void)allocate_lock_file(directory_.file());
  }
  if (cut_) return *cut_;
  return Done{};
}

void Writer::free_dead_readers(LmdbFile& file) {
  const auto now = std::chrono::steady_clock::now();
  if (now - readers_checked_ < options_.dead_readers_every) return;
  readers_checked_ = now;
  file.free_dead_readers();
}

Status Writer::write_if_memory(const CommitBatch* commit) {
  try {
    return write(commit);
  } catch (const std::bad_alloc&) {
    return no_memory();  // the transaction is aborted
  }
}

// Writes one transaction.
Status Writer::write(const CommitBatch* commit) {
  const std::shared_ptr<LmdbFile> file = this->file();
  if (!file) return not_open();
  if (Status whole = check_files(*file); !whole) return whole;
  free_dead_readers(*file);
  Result<std::unique_ptr<LmdbFile::Change>> change = file->change();
  if (!change) return change.refusal();
  std::deque<std::string> gone = gone_;
  Status written = Done{};
  if (commit != nullptr) {
    gone.insert(gone.end(), commit->gone.begin(), commit->gone.end());
    written = write_all(**change, *commit);
  }
  if (written) written = erase_gone(**change, gone);
  if (written) written = (*change)->commit();
  if (!written) return written;
  const Result<std::uint64_t> bytes = directory_.file_bytes();
  if (!bytes) return bytes.refusal();
  gone_ = std::move(gone);
  file_bytes_ = *bytes;
  return Done{};
}

namespace {

struct NumberedWrite {
  Batch::Write write;
  std::uint32_t number;  // in call order
};

// Writes in key order, so that adjacent entries of the file are written together. The last write to
// a key wins.
Status write_sorted(LmdbFile::Change& change, std::string_view prefix,
                    std::vector<NumberedWrite>& writes) {
  std::sort(writes.begin(), writes.end(), [](const NumberedWrite& a, const NumberedWrite& b) {
    if (const int order = a.write.key.compare(b.write.key); order != 0) return order < 0;
    return a.number < b.number;
  });
  std::string key(prefix);
  for (std::size_t i = 0; i < writes.size(); ++i) {
    const auto& [row, value] = writes[i].write;
    if (i + 1 < writes.size() && row == writes[i + 1].write.key) continue;
    key.resize(prefix.size());
    key.append(row);
    Status written = value ? change.put(key, *value) : change.erase(key);
    if (!written) return written;
  }
  return Done{};
}

}  // namespace

// Buffers are written in the order of their prefixes; no prefix begins with another one.
Status Writer::write_all(LmdbFile::Change& change, const CommitBatch& commit) {
  std::vector<const BufferedWrites*> buffers;
  for (const BufferedWrites& each : commit.buffers) buffers.push_back(&each);
  std::sort(buffers.begin(), buffers.end(),
            [](const BufferedWrites* a, const BufferedWrites* b) { return a->prefix < b->prefix; });
  std::vector<NumberedWrite> writes;
  const auto add = [&writes](std::string_view row, std::optional<std::string_view> value) {
    writes.push_back({{row, value}, static_cast<std::uint32_t>(writes.size())});
  };
  const auto write = [&](std::string_view prefix, const RowWrites& rows) {
    writes.clear();
    writes.reserve(rows.size());
    rows.each(add);
    return write_sorted(change, prefix, writes);
  };
  for (const BufferedWrites* each : buffers) {
    if (Status written = write(each->prefix, each->writes); !written) return written;
  }
  return write("", commit.batch);
}

Status Writer::erase_gone(LmdbFile::Change& change, std::deque<std::string>& gone) {
  for (std::size_t left = kReclaimRowsPerTransaction; left > 0 && !gone.empty();) {
    const Result<std::size_t> erased = change.erase_some(gone.front(), left);
    if (!erased) return erased.refusal();
    if (*erased < left) gone.pop_front();
    left -= *erased;
  }
  return Done{};
}

}  // namespace laurel
