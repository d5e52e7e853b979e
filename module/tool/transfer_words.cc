// The words that write files or directories: export, import, backup.
#include <cerrno>
#include <cstdio>
#include <filesystem>
#include <sys/stat.h>
#include <system_error>

#include "base/text.h"
#include "store/file_failure.h"
#include "store/line_file.h"
#include "tool/progress_bar.h"
#include "tool/source.h"
#include "tool/words.h"
#include "tool/write_to_directory.h"
#include "transfer/transfer.h"

namespace laurel::tool {

namespace {

// A pipe or a terminal cannot be replaced by a new file.
bool is_stream(const std::string& file) {
  struct stat facts {};
  return ::stat(file.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode) && !S_ISDIR(facts.st_mode);
}

Status write_to(Registry& registry, LineWriter& out, const std::optional<std::string>& board,
                ExportForm form) {
  const auto only = board ? std::optional<std::string_view>(*board) : std::nullopt;
  if (form == ExportForm::csv) {
    if (Status written = export_csv(registry, out, only); !written) return written;
  } else {
    export_registry(registry, out, only);
  }
  return out.finish();
}

Status write_to_stream(Registry& registry, std::FILE* stream, const std::string& name,
                       const std::optional<std::string>& board, ExportForm form) {
  LineWriter out(stream, name);
  return write_to(registry, out, board, form);
}

}  // namespace

Status export_to(const std::string& directory, const std::string& file,
                 const std::optional<std::string>& board, ExportForm form) {
  Result<Source> source = Source::open(directory);
  if (!source) return source.refusal();
  if (board) {
    if (const Result<Board*> known = source->board(*board); !known) return known.refusal();
  }
  ProgressBar::tell("exporting");
  if (file == "-") {
    return write_to_stream(source->registry(), stdout, "standard output", board, form);
  }
  if (!is_stream(file)) {
    LineWriter out(file);
    return write_to(source->registry(), out, board, form);
  }
  std::FILE* const stream = std::fopen(file.c_str(), "we");
  if (stream == nullptr) return file_failure("writing", file, errno);
  Status written = write_to_stream(source->registry(), stream, file, board, form);
  std::fclose(stream);
  return written;
}

Status import_from(const std::string& directory, const std::string& file) {
  const std::string from = file == "-" ? "/dev/stdin" : file;
  std::FILE* const readable = std::fopen(from.c_str(), "re");
  if (readable == nullptr) return file_failure("reading", file, errno);
  std::fclose(readable);
  return write_to_directory(
      directory, {}, [&from](Registry& registry) { return import_registry(registry, from); });
}

Status back_up(const std::string& directory, const std::string& target) {
  std::error_code error;
  if (std::filesystem::exists(target, error)) {
    if (!std::filesystem::is_directory(target, error)) {
      return Refusal(Code::taken, "\"{}\" is no directory", escaped(target, 120));
    }
    if (!std::filesystem::is_empty(target, error) || error) {
      return Refusal(Code::taken, "\"{}\" is not empty", escaped(target, 120));
    }
  }
  ProgressBar::tell("reading");
  Result<std::unique_ptr<ReadOnlyStore>> store = ReadOnlyStore::open(directory, {});
  if (!store) return store.refusal();
  ProgressBar::tell("writing the backup");
  return (*store)->backup(target);
}

}  // namespace laurel::tool
