// durable_store.h - a store on disk: writes survive the process, and the thread that writes never
// waits for the disk.
//
//   write    goes to memory and is visible at once. begin_commit() gives all writes since the last
//            call to the writer thread (writer.h), which commits them in one LMDB transaction with
//            one sync. During a commit the next writes are buffered, so a slow disk gets larger
//            batches.
//   reads    look first in the buffer, then in the batch being committed, then in the file as of
//            its last transaction.
//   flush    success means that all writes are on disk. A commit that progress() counts in
//            on_disk is on disk too.
//   always   in this mode the registry calls flush after each write.
//   none     transactions do not wait for the system to write. If the process dies, handed-over
//            writes survive; if the machine dies, the whole file may be lost. flush still blocks
//            until the data is on disk.
//   full     if kStoreWaitingBytesMax bytes wait, or after a failure, the store rejects writes
//            until a transaction succeeds. Earlier writes stay in memory, readable, and are
//            retried.
//   hold     writes of a hold wait for its end, whatever the disk does meanwhile; they may take as
//            much memory as all other waiting writes.
//   fork     a forked child has no writer thread: it accepts no writes, writes nothing, and must
//            read only what is in memory (is_owner_process).
//   damage   the whole file is checked before it is used (file_check.h); a damaged file is refused.
//   threads  one caller at a time, as in store.h; buffers as in write_buffer.h. The log callback
//            runs inside begin_commit, flush and the destructor.
//   cost     write: an insertion into a tree in memory, about 1 us an entry; a write to a
//            WriteBuffer costs less. begin_commit O(buffers with writes), without copying.
//   form     FORMAT.md.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/log.h"
#include "base/process/fork_guard.h"
#include "store/durability.h"
#include "store/durable/directory.h"
#include "store/durable/lmdb_file.h"
#include "store/durable/write_buffers.h"
#include "store/durable/writer.h"
#include "store/store.h"

namespace laurel {

struct DurableOptions {
  std::string path;  // of a directory, created if missing
  Durability durability = Durability::tick;
  std::size_t map_bytes_max = kStoreMapBytesMax;
  std::size_t map_bytes = 0;  // at first; 0: as map_size.h chooses
  std::size_t waiting_bytes_max = kStoreWaitingBytesMax;
  std::chrono::microseconds dead_readers_every{kStoreDeadReadersEvery};  // writer.h
};

class DurableStore final : public Store, private WriteBuffers::Owner {
 public:
  // Blocks for the disk, since it reads the whole file; logs progress if that takes long.
  // Fails with  taken        another store, in this process or another, has the directory open
  //             bad_data     the file is damaged, or not one of ours
  //             unsupported  the file has a newer form
  //             unavailable  the disk reports an error
  static Result<std::unique_ptr<DurableStore>> open(const DurableOptions& options, const Log& log);
  // Tries to write everything that is still in memory.
  ~DurableStore() override;
  DurableStore(const DurableStore&) = delete;
  DurableStore& operator=(const DurableStore&) = delete;

  bool is_owner_process() const override { return fork_.is_owner_process(); }

  std::optional<std::string_view> get(std::string_view key) const override;
  std::unique_ptr<Cursor> cursor() const override;
  void write(const Batch& batch) override;
  bool erase_some(std::string_view prefix, std::size_t entries) override;
  std::shared_ptr<const Reader> snapshot() const override;
  std::size_t size() const override;
  std::size_t bytes() const override;

  bool is_durable() const override { return true; }
  std::unique_ptr<WriteBuffer> open_buffer(std::string_view prefix) override {
    return buffers_.open(prefix);
  }
  Status accepts() const override;
  void begin_commit() override;
  void hold() override;
  void release() override { held_ = false; }
  bool held_all() const override { return !held_refused_; }
  Status flush() override;
  Status backup(const std::string& directory) override;
  StoreProgress progress() const override;
  const Histogram* commit_times() const override {
    return writer_ ? &writer_->commit_times() : nullptr;
  }
  void close() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Layers = std::vector<std::shared_ptr<const CowTree>>;

  DurableStore(std::unique_ptr<Directory> directory, std::shared_ptr<LmdbFile> file,
               std::unique_ptr<LmdbFile::View> view, const DurableOptions& options, Log log);

  // WriteBuffers::Owner
  const Reader& rows() const override { return *this; }
  const RowWrites* in_flight(std::string_view prefix) const override;
  void retire(std::string_view prefix) override;
  void begun() override;

  bool has_open() const;
  Status accepts_held() const;
  std::size_t open_bytes() const;
  Status wait();
  bool pick_up();
  void tell();
  Layers layers() const;

  std::unique_ptr<Directory> directory_;
  DurableOptions options_;
  Log log_;
  ForkGuard fork_;
  std::unique_ptr<LmdbFile::View> view_;  // null only while the file is being reopened

  // The buffer: writes since the last commit.
  RowWrites open_;
  std::shared_ptr<CowTree> readable_ = std::make_shared<CowTree>();
  std::vector<std::string> gone_;
  WriteBuffers buffers_{*this};
  // Steady-clock time of the oldest buffered write; 0 if there is none. Several threads may try to
  // set it first.
  std::atomic<Clock::rep> open_since_{0};

  // The batch being committed; null if there is none.
  std::shared_ptr<const CommitBatch> flight_;
  std::size_t flight_bytes_ = 0;
  std::size_t flight_writes_ = 0;
  Clock::rep flight_since_ = 0;

  std::uint64_t commits_begun_ = 0;
  bool held_ = false;
  std::size_t held_bytes_ = 0;         // that waited when the hold began
  mutable bool held_refused_ = false;  // accepts() has failed in the hold
  bool told_failure_ = false;
  bool sync_failed_ = false;  // a sync of transactions that did not sync themselves
  std::string value_;         // of a layer; kept to reuse its memory
  std::unique_ptr<Writer> writer_;
};

}  // namespace laurel
