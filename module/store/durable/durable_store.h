// durable_store.h - a store on a disk: what was written survives the process, and the thread that
// writes never waits for the disk.
//
//   write      goes to memory and is seen at once. hand_over gives all that was written since the
//              last time to the writer's thread (writer.h), which makes it one transaction of LMDB
//              and one sync. While one is on its way the next gathers: one that falls behind takes
//              more at once.
//   reads      look into what gathers, into what is on its way, then into the file as the last
//              transaction left it.
//   flush      true means: on the disk. So does a hand-over that progress() counts as on_disk.
//   always     is the registry's way of calling flush after every write.
//   none       transactions do not wait for the system to write. A process that dies loses nothing
//              that was handed over; a machine that dies may lose the file. flush waits even so.
//   full       with kStoreWaitingBytesMax on its way, and after a failure, nothing more is accepted
//              until a transaction has succeeded; what was written before stays in memory, is read,
//              and is tried again.
//   fork       a process that was forked off has no writer: nothing is accepted there, nothing
//              written, and nothing must be read that is not in memory (born_here).
//   damage     the file is checked whole before it is used (file_check.h): it is refused, or exact.
//   threads    one caller at a time, as store.h has it; row logs as row_log.h has it. Lines go to
//              the log from within hand_over, flush and the end.
//   cost       write: into a tree in memory, some 1 us an entry; a row log's less. hand_over O(logs
//              with writes), never a copy.
//   form       FORMAT.md.
#pragma once

#include <atomic>
#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/fork_guard.h"
#include "base/log.h"
#include "store/durability.h"
#include "store/durable/directory.h"
#include "store/durable/lmdb_file.h"
#include "store/durable/open_logs.h"
#include "store/durable/writer.h"
#include "store/store.h"

namespace laurel {

struct DurableOptions {
  std::string path;  // of a directory, made when missing
  Durability durability = Durability::tick;
  std::size_t map_bytes = kStoreMapBytesMax;
  std::size_t waiting_bytes_max = kStoreWaitingBytesMax;
};

class DurableStore final : public Store, private OpenLogs::Owner {
 public:
  // Waits for the disk, and reads the whole file; tells the log of it where that takes long.
  // Fails with  taken        the directory is open, here or in another process
  //             bad_data     the file is damaged, or none of ours
  //             unsupported  the file's form is newer
  //             unavailable  the disk refuses
  static Result<std::unique_ptr<DurableStore>> open(const DurableOptions& options, const Log& log);
  // Tries to write what is still in memory.
  ~DurableStore() override;
  DurableStore(const DurableStore&) = delete;
  DurableStore& operator=(const DurableStore&) = delete;

  bool born_here() const override { return fork_.born_here(); }

  std::optional<std::string_view> get(std::string_view key) const override;
  std::unique_ptr<Cursor> cursor() const override;
  void write(const Batch& batch) override;
  bool erase_some(std::string_view prefix, std::size_t entries) override;
  std::shared_ptr<const Reader> snapshot() const override;
  std::size_t size() const override;
  std::size_t bytes() const override;

  bool is_durable() const override { return true; }
  std::unique_ptr<RowLog> open_log(std::string_view prefix) override { return logs_.open(prefix); }
  Status accepts() const override;
  void hand_over() override;
  Status flush() override;
  Status backup(const std::string& directory) override;
  StoreProgress progress() const override;
  void close() override;

 private:
  using Clock = std::chrono::steady_clock;
  using Layers = std::vector<std::shared_ptr<const CowTree>>;

  DurableStore(std::unique_ptr<Directory> directory, std::shared_ptr<LmdbFile> file,
               std::unique_ptr<LmdbFile::View> view, const DurableOptions& options, Log log);

  // OpenLogs::Owner
  const Reader& rows() const override { return *this; }
  void retire(std::string_view prefix) override;
  void begun() override;

  bool has_open() const;
  std::size_t open_bytes() const;
  bool pick_up();
  void tell();
  Layers layers() const;

  std::unique_ptr<Directory> directory_;
  DurableOptions options_;
  Log log_;
  ForkGuard fork_;
  std::unique_ptr<LmdbFile::View> view_;  // null only while the file is being opened anew

  // What gathers.
  Batch open_;
  std::shared_ptr<CowTree> readable_ = std::make_shared<CowTree>();
  std::vector<std::string> gone_;
  OpenLogs logs_{*this};
  // When the oldest write that gathers was made, in ticks of the clock; 0: there is none. Several
  // threads may be the first.
  std::atomic<Clock::rep> open_since_{0};

  // What is on its way; null when nothing is.
  std::shared_ptr<const HandOver> flight_;
  std::size_t flight_bytes_ = 0;
  std::size_t flight_writes_ = 0;
  Clock::rep flight_since_ = 0;

  std::uint64_t handed_over_ = 0;
  bool told_failure_ = false;
  bool sync_failed_ = false;  // of transactions that did not wait for theirs
  std::string value_;         // of a layer; kept for its memory
  std::unique_ptr<Writer> writer_;
};

}  // namespace laurel
