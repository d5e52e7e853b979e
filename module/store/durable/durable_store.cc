#include "store/durable/durable_store.h"

#include <algorithm>
#include <cassert>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "store/durable/backup.h"
#include "store/durable/layer_value.h"
#include "store/durable/layered_reader.h"

namespace laurel {

DurableStore::DurableStore(std::unique_ptr<Directory> directory, std::shared_ptr<LmdbFile> file,
                           std::unique_ptr<LmdbFile::View> view, const DurableOptions& options,
                           Log log)
    : directory_(std::move(directory)),
      options_(options),
      log_(std::move(log)),
      view_(std::move(view)),
      writer_(std::make_unique<Writer>(
          *directory_, std::move(file),
          LmdbOptions{.syncs = options.durability != Durability::none,
                      .map_bytes_max = options.map_bytes_max,
                      .dead_readers_every = options.dead_readers_every})) {}

DurableStore::~DurableStore() { close(); }

void DurableStore::close() {
  if (!writer_) return;
  if (is_owner_process()) {
    if (const Status flushed = flush(); !flushed) {
      log_.error("\"{}\" was closed with {} bytes that are not on the disk: {}",
                 escaped(options_.path, 120), progress().waiting_bytes,
                 flushed.refusal().message());
    }
    view_.reset();
    writer_.reset();
    directory_.reset();
    return;
  }
  // In a forked child the writer thread does not exist and the file belongs to the parent: leave
  // both untouched.
  (void)writer_.release();
  (void)view_.release();
}

// ---- reading

DurableStore::Layers DurableStore::layers() const {
  Layers layers = {readable_};
  if (flight_) layers.push_back(flight_->readable);
  return layers;
}

std::optional<std::string_view> DurableStore::get(std::string_view key) const {
  if (const auto stored = readable_->get(key)) return layer_value(*stored);
  if (flight_) {
    if (const auto stored = flight_->readable->get(key)) return layer_value(*stored);
  }
  return view_ ? view_->get(key) : std::nullopt;
}

std::unique_ptr<Cursor> DurableStore::cursor() const {
  return layered_cursor(layers(), view_.get());
}

std::shared_ptr<const Reader> DurableStore::snapshot() const {
  Layers layers = {std::make_shared<const CowTree>(*readable_)};
  if (flight_) layers.push_back(flight_->readable);
  Result<std::unique_ptr<LmdbFile::View>> view = writer_->file()->view();
  assert(view && "LMDB has room for every view");
  return std::make_shared<LayeredReader>(std::move(layers), std::move(*view));
}

std::size_t DurableStore::size() const { return view_ ? view_->size() : 0; }

std::size_t DurableStore::bytes() const { return open_bytes() + flight_bytes_; }

// ---- writing

void DurableStore::begun() {
  if (open_since_.load(std::memory_order_relaxed) != 0) return;
  Clock::rep none = 0;
  open_since_.compare_exchange_strong(none, Clock::now().time_since_epoch().count());
}

void DurableStore::write(const Batch& batch) {
  if (batch.empty()) return;
  const MemoryGuarantee guaranteed(4 * batch.bytes());
  begun();
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Batch::Write write = batch[i];
    if (write.value) {
      open_.put(write.key, *write.value);
    } else {
      open_.erase(write.key);
    }
    set_layer_value(value_, write.value);
    readable_->put(write.key, value_);
  }
}

bool DurableStore::erase_some(std::string_view prefix, std::size_t) {
  retire(prefix);
  return false;
}

void DurableStore::retire(std::string_view prefix) {
  const MemoryGuarantee guaranteed;
  begun();
  gone_.emplace_back(prefix);
}

const RowWrites* DurableStore::in_flight(std::string_view prefix) const {
  if (!flight_) return nullptr;
  const auto buffer = std::ranges::find(flight_->buffers, prefix, &BufferedWrites::prefix);
  return buffer == flight_->buffers.end() ? nullptr : &buffer->writes;
}

bool DurableStore::has_open() const {
  return !open_.empty() || !buffers_.empty() || !gone_.empty();
}

std::size_t DurableStore::open_bytes() const {
  return open_.bytes() + buffers_.bytes() + (readable_->size() > 0 ? readable_->bytes() : 0);
}

Status DurableStore::accepts() const {
  if (!is_owner_process()) {
    return Refusal(Code::unavailable, "\"{}\" belongs to the process that this one was forked from",
                   escaped(options_.path, 120));
  }
  if (!writer_) return Refusal(Code::closed, "\"{}\" is closed", escaped(options_.path, 120));
  if (held_) return accepts_held();
  if (writer_->fails()) return writer_->status();
  if (const std::size_t waiting = bytes(); waiting > options_.waiting_bytes_max) {
    return Refusal(Code::unavailable, "the disk is {} MB behind; at most {} MB may wait for it",
                   waiting >> 20, options_.waiting_bytes_max >> 20);
  }
  return Done{};
}

Status DurableStore::accepts_held() const {
  const std::size_t waiting = bytes();
  if (waiting <= held_bytes_ + options_.waiting_bytes_max) return Done{};
  held_refused_ = true;
  return Refusal(Code::unavailable, "{} MB were written as one transaction; it has at most {} MB",
                 (waiting - held_bytes_) >> 20, options_.waiting_bytes_max >> 20);
}

// ---- to the disk

void DurableStore::hold() {
  held_ = true;
  held_bytes_ = bytes();
  held_refused_ = false;
}

// Reads what is on disk from the file from now on; returns true if a commit was completed.
bool DurableStore::pick_up() {
  writer_->reopen(view_, false);
  if (!flight_ || writer_->on_disk() < flight_->number) return false;
  Result<std::unique_ptr<LmdbFile::View>> view = writer_->file()->view();
  if (!view) return false;
  view_ = std::move(*view);
  flight_.reset();
  flight_bytes_ = 0;
  flight_writes_ = 0;
  return true;
}

void DurableStore::tell() {
  if (writer_->fails() == told_failure_) return;
  told_failure_ = !told_failure_;
  if (told_failure_) {
    log_.error("\"{}\" cannot be written, so nothing more is taken: {}",
               escaped(options_.path, 120), writer_->status().refusal().message());
  } else {
    log_.info("\"{}\" can be written again", escaped(options_.path, 120));
  }
}

void DurableStore::begin_commit() {
  if (held_ || !is_owner_process()) return;
  const MemoryGuarantee guaranteed(std::nothrow);
  const bool arrived = pick_up();
  tell();
  if (flight_) return;
  if (!has_open() || !guaranteed.stands()) {  // without memory the writes wait for a later call
    if (arrived) writer_->let_go();
    return;
  }
  flight_bytes_ = open_bytes();
  flight_writes_ = open_.size() + buffers_.writes();
  flight_since_ = open_since_.exchange(0);
  auto commit = std::make_shared<CommitBatch>();
  commit->number = ++commits_begun_;
  commit->buffers = buffers_.collect();
  commit->batch = std::exchange(open_, RowWrites());
  commit->gone = std::exchange(gone_, {});
  commit->readable = std::exchange(readable_, std::make_shared<CowTree>());
  flight_ = std::move(commit);
  writer_->take(flight_);
}

// Waits for the batch that is being committed. A broken file is reopened once; one that has
// outgrown its map, until the batch fits.
Status DurableStore::wait() {
  Status written = writer_->wait();
  for (unsigned i = 0; !written && i < kStoreMapGrowthsMax; ++i) {
    const Writer::Reopening why = writer_->must_reopen();
    if (why == Writer::Reopening::none) break;
    const bool reopened = writer_->reopen(view_, true);
    written = writer_->wait();  // if it was not reopened: the reason
    if (why == Writer::Reopening::broken || !reopened) break;
  }
  return written;
}

Status DurableStore::flush() {
  if (!is_owner_process()) return accepts();
  if (held_) {
    return Refusal(Code::unavailable,
                   "the writes of a handler are one transaction, which ends when it has returned");
  }
  for (int rounds = 0; rounds < 2; ++rounds) {  // the batch being committed, then the buffer
    begin_commit();
    const Status written = wait();
    if (!written) {
      tell();
      return written;
    }
    if (pick_up()) writer_->let_go();
  }
  tell();
  if (has_open()) return no_memory();  // begin_commit() had none
  // After a failed sync the system may consider the data written, so a later sync cannot repair it.
  if (sync_failed_) {
    return Refusal(Code::unavailable,
                   "\"{}\": an earlier sync failed, so writes may not be on the disk",
                   escaped(options_.path, 120));
  }
  Status synced = writer_->sync();
  sync_failed_ = !synced;
  return synced;
}

Status DurableStore::backup(const std::string& path) {
  if (Status flushed = flush(); !flushed) return flushed;
  const std::shared_ptr<LmdbFile> source = writer_->file();
  return source ? back_up(*source, path) : writer_->status();
}

StoreProgress DurableStore::progress() const {
  if (!is_owner_process())
    return {};  // the fork may have copied the writer's lock while it was held
  const Writer::Counts counts = writer_->counts();
  StoreProgress progress;
  progress.waiting_writes = open_.size() + buffers_.writes() + flight_writes_;
  progress.waiting_bytes = bytes();
  if (const Clock::rep oldest = flight_ ? flight_since_ : open_since_.load(); oldest != 0) {
    const Clock::duration since = Clock::now().time_since_epoch() - Clock::duration(oldest);
    progress.waiting_seconds = std::chrono::duration<double>(since).count();
  }
  progress.commits_begun = commits_begun_;
  progress.on_disk = writer_->on_disk();
  progress.transactions = counts.transactions;
  progress.failures = counts.failures;
  progress.file_bytes = counts.file_bytes;
  return progress;
}

}  // namespace laurel
