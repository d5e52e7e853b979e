// Opens a durable store: locks the directory, and checks the file or creates a new one.
#include "store/durable/opening.h"

#include <system_error>

#include "base/bytes.h"
#include "base/process/signals.h"
#include "base/text.h"
#include "store/durable/durable_store.h"
#include "store/durable/row_sum.h"

namespace laurel {

namespace {

// The only entry outside of all spaces: marks the file as ours and holds its form.
constexpr std::string_view kFormKey = "laurel";
constexpr std::uint32_t kForm = 1;

// Makes the file of a new directory. Nothing has its final name before it is complete.
Status make_file(const Directory& directory, const LmdbOptions& options) {
  Result<std::shared_ptr<LmdbFile>> file = LmdbFile::open(directory.first_file(), options);
  if (!file) return file.refusal();
  Result<std::unique_ptr<LmdbFile::Change>> change = (*file)->change();
  if (!change) return change.refusal();
  std::string form;
  ByteWriter(form, sizeof kForm).u32(kForm);
  Status made = (*change)->put(kFormKey, form);
  if (made) made = (*change)->commit();
  return made;
}

// Entries between two log lines.
constexpr std::uint64_t kCheckedALine = 1'000'000;

Status check(const Directory& directory, const Log& log) {
  std::uint64_t told = 0;
  const auto progress = [&](std::uint64_t rows) {
    if (rows - told < kCheckedALine) return;
    told = rows;
    log.info("checking \"{}\": {} entries are sound", escaped(directory.path(), 120), rows);
  };
  const Result<FileFacts> facts = check_stored_file(directory.file(), directory.file(), progress);
  if (facts) return Done{};
  return facts.refusal();
}

// Locks and checks the file, or makes it if the directory is new.
Status prepare(Directory& directory, const LmdbOptions& how, const Log& log) {
  if (directory.has_unfinished_backup()) return unfinished_backup(directory.path());
  directory.remove_leftovers();
  if (directory.has_file()) {
    if (Status claimed = directory.claim_file(); !claimed) return claimed;
    return check(directory, log);
  }
  Status made = make_file(directory, {true, how.map_bytes_max, how.map_bytes});
  if (made) made = directory.name_file(directory.first_file());
  directory.remove_leftovers();
  return made ? directory.claim_file() : made;
}

}  // namespace

Result<FileFacts> check_stored_file(const std::string& file, const std::string& shown,
                                    const Progress& progress) {
  const auto check_row = [](std::string_view key, std::string_view stored) -> Status {
    if (checked(key, stored)) return Done{};
    return Refusal(Code::bad_data, "the checksum of an entry is wrong");
  };
  Result<FileFacts> facts = check_file(file, check_row, progress, CheckThreads::two);
  if (facts) return facts;
  return Refusal(facts.refusal().code(), "\"{}\": {}", escaped(shown, 120),
                 facts.refusal().message());
}

Status check_form(const LmdbFile::View& view, const std::string& shown) {
  const std::optional<std::string_view> form = view.get(kFormKey);
  if (!form || form->size() != sizeof kForm) {
    return Refusal(Code::bad_data, "\"{}\" holds no boards", escaped(shown, 120));
  }
  const std::uint32_t number = ByteReader(*form).u32();
  if (number == kForm) return Done{};
  return Refusal(Code::unsupported, "\"{}\" has format {}; this version reads format {}",
                 escaped(shown, 120), number, kForm);
}

Refusal unfinished_backup(const std::string& directory) {
  return {Code::bad_data,
          "\"{}\" is a backup that did not end: make it again, or delete laurel.mdb.new in it to "
          "begin without boards",
          escaped(directory, 120)};
}

Result<std::unique_ptr<DurableStore>> DurableStore::open(const DurableOptions& options,
                                                         const Log& log) {
  const SignalsBlocked blocked;
  Result<std::unique_ptr<Directory>> opened = Directory::open(options.path);
  if (!opened) return opened.refusal();
  std::unique_ptr<Directory> directory = std::move(*opened);
  const LmdbOptions how{options.durability != Durability::none, options.map_bytes_max,
                        options.map_bytes};
  if (const Status prepared = prepare(*directory, how, log); !prepared) return prepared.refusal();
  Result<std::shared_ptr<LmdbFile>> file = LmdbFile::open(directory->file(), how);
  if (!file) return file.refusal();
  Result<std::unique_ptr<LmdbFile::View>> view = (*file)->view();
  if (!view) return view.refusal();
  if (const Status good = check_form(**view, directory->file()); !good) return good.refusal();
  try {
    return std::unique_ptr<DurableStore>(
        new DurableStore(std::move(directory), std::move(*file), std::move(*view), options, log));
  } catch (const std::system_error& error) {
    return Refusal(Code::unavailable,
                   "starting the thread that writes \"{}\": {} (RLIMIT_NPROC, RLIMIT_AS)",
                   escaped(options.path, 120), error.what());
  }
}

}  // namespace laurel
