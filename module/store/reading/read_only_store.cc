#include "store/reading/read_only_store.h"

#include <cassert>
#include <filesystem>
#include <system_error>
#include <utility>
#include <vector>

#include "base/text.h"
#include "store/durable/backup.h"
#include "store/durable/layer_value.h"
#include "store/durable/layered_reader.h"
#include "store/durable/opening.h"

namespace laurel {

Result<std::unique_ptr<ReadOnlyStore>> ReadOnlyStore::open(const std::string& directory,
                                                           const Progress& progress) {
  std::error_code error;
  const std::string shown = directory + "/laurel.mdb";
  if (!std::filesystem::exists(shown, error) &&
      std::filesystem::exists(directory + "/laurel.mdb.new", error)) {
    return unfinished_backup(directory);
  }
  Result<FileSnapshot> snapshot = FileSnapshot::take(directory);
  if (!snapshot) return snapshot.refusal();
  const std::string copy = snapshot->name();
  const Result<FileFacts> facts = check_stored_file(copy, shown, progress);
  if (!facts) return facts.refusal();
  Result<std::shared_ptr<LmdbFile>> file = LmdbFile::open(copy, {.access = LmdbAccess::alone});
  if (!file) return file.refusal();
  Result<std::unique_ptr<LmdbFile::View>> view = (*file)->view();
  if (!view) return view.refusal();
  if (const Status good = check_form(**view, shown); !good) return good.refusal();
  return std::unique_ptr<ReadOnlyStore>(new ReadOnlyStore(directory, std::move(*snapshot), *facts,
                                                          std::move(*file), std::move(*view)));
}

std::optional<std::string_view> ReadOnlyStore::get(std::string_view key) const {
  if (const auto stored = written_->get(key)) return layer_value(*stored);
  return view_->get(key);
}

std::unique_ptr<Cursor> ReadOnlyStore::cursor() const {
  const std::vector<std::shared_ptr<const CowTree>> layers = {written_};
  return layered_cursor(layers, view_.get());
}

void ReadOnlyStore::write(const Batch& batch) {
  for (std::size_t i = 0; i < batch.size(); ++i) {
    const Batch::Write write = batch[i];
    set_layer_value(value_, write.value);
    written_->put(write.key, value_);
  }
}

std::shared_ptr<const Reader> ReadOnlyStore::snapshot() const {
  Result<std::unique_ptr<LmdbFile::View>> view = file_->view();
  assert(view && "a copy has no other users");
  return std::make_shared<LayeredReader>(
      std::vector<std::shared_ptr<const CowTree>>{std::make_shared<const CowTree>(*written_)},
      std::move(*view));
}

Status ReadOnlyStore::accepts() const {
  if (takes_writes_) return Done{};
  return Refusal(Code::unavailable, "\"{}\" is open for reading", escaped(directory_, 120));
}

Status ReadOnlyStore::backup(const std::string& directory) { return back_up(*file_, directory); }

StoreProgress ReadOnlyStore::progress() const {
  StoreProgress progress;
  progress.file_bytes = file_bytes();
  return progress;
}

}  // namespace laurel
