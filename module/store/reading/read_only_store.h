// read_only_store.h - the store of a directory, opened to read it, also beside the process that
// writes it.
//
//   shows     what the last transaction wrote, as a copy (file_snapshot.h): what is written later
//             is not seen, and the writer is not held up while this object exists.
//   checked   the whole copy, as DurableStore::open checks the file.
//   directory nothing in it is made, locked, erased or written.
//   writes    stay in memory, and end with this object: a registry ends seasons that are due, and
//             reads forms of earlier versions by writing them again. accepts() refuses, so that
//             calls that would change something fail, unless take_writes() was called.
//   threads   as store.h.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/log.h"
#include "store/check/file_check.h"
#include "store/cow_tree.h"
#include "store/durable/lmdb_file.h"
#include "store/durable/write_buffers.h"
#include "store/reading/file_snapshot.h"
#include "store/store.h"

namespace laurel {

class ReadOnlyStore final : public Store, private WriteBuffers::Owner {
 public:
  // `progress` is called while the copy is checked; may be empty.
  // Fails with  bad_data     the file is damaged, or not one of ours
  //             unsupported  the file has a newer form
  //             unavailable  it cannot be read
  static Result<std::unique_ptr<ReadOnlyStore>> open(const std::string& directory,
                                                     const Progress& progress);

  // The copy.
  const FileFacts& facts() const { return facts_; }
  // The file in the directory, when it was copied.
  std::uint64_t file_bytes() const { return snapshot_.file_bytes(); }
  Time last_write() const { return snapshot_.last_write(); }
  // The rows as they were committed, without what this object has in memory.
  std::unique_ptr<Cursor> committed() const { return view_->cursor(); }

  std::optional<std::string_view> get(std::string_view key) const override;
  std::unique_ptr<Cursor> cursor() const override;
  void write(const Batch& batch) override;
  bool erase_some(std::string_view, std::size_t) override { return false; }
  std::shared_ptr<const Reader> snapshot() const override;
  std::size_t size() const override { return view_->size(); }
  std::size_t bytes() const override { return written_->bytes(); }

  bool is_durable() const override { return true; }
  std::unique_ptr<WriteBuffer> open_buffer(std::string_view prefix) override {
    return buffers_.open(prefix);
  }
  Status accepts() const override;
  // From now on calls that change something succeed, in memory alone: to try what they would do.
  void take_writes() { takes_writes_ = true; }
  // Copies what the last transaction wrote.
  Status backup(const std::string& directory) override;
  StoreProgress progress() const override;

 private:
  ReadOnlyStore(std::string directory, FileSnapshot snapshot, const FileFacts& facts,
                std::shared_ptr<LmdbFile> file, std::unique_ptr<LmdbFile::View> view)
      : directory_(std::move(directory)),
        snapshot_(std::move(snapshot)),
        facts_(facts),
        file_(std::move(file)),
        view_(std::move(view)) {}

  // WriteBuffers::Owner
  const Reader& rows() const override { return *this; }
  const RowWrites* in_flight(std::string_view) const override { return nullptr; }
  void retire(std::string_view) override {}
  void begun() override {}

  std::string directory_;
  FileSnapshot snapshot_;
  FileFacts facts_;
  std::shared_ptr<LmdbFile> file_;
  std::unique_ptr<LmdbFile::View> view_;
  std::shared_ptr<CowTree> written_ = std::make_shared<CowTree>();
  WriteBuffers buffers_{*this};
  bool takes_writes_ = false;
  std::string value_;  // of the layer; kept to reuse its memory
};

}  // namespace laurel
