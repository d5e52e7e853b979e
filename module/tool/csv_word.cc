// The word that takes results from a table of another program: import with --map.
#include <filesystem>
#include <system_error>

#include "base/text.h"
#include "tool/keep_rules.h"
#include "tool/progress_bar.h"
#include "tool/source.h"
#include "tool/words.h"
#include "tool/write_to_directory.h"
#include "transfer/import_csv.h"

namespace laurel::tool {

namespace {

RegistryOptions without_rules() {
  RegistryOptions options;
  options.log = tool_log();
  options.rules = std::make_unique<KeepRules>();
  return options;
}

Status submit(Registry& registry, const CsvTable& table, const CsvResults& results) {
  std::optional<BoardHandle> board = registry.find(table.board);
  if (board && table.order) {
    return Refusal(Code::taken, "board \"{}\" exists, and has its order already",
                   escaped(table.board, 64));
  }
  if (!board) {
    SpecChange spec;
    if (table.order) {
      if (const Status taken = spec.set("order", *table.order); !taken) return taken;
    }
    const Result<BoardHandle> made = registry.open(table.board, spec);
    if (!made) return made.refusal();
    board = *made;
  }
  return results.submit(registry, *board);
}

// Whether the directory, or a new one, would take all results.
Status try_results(const std::string& directory, const CsvTable& table, const CsvResults& results) {
  std::error_code error;
  if (!std::filesystem::exists(std::filesystem::path(directory) / "laurel.mdb", error)) {
    Registry registry(without_rules());
    return submit(registry, table, results);
  }
  Result<Source> source = Source::open(directory, std::make_unique<KeepRules>());
  if (!source) return source.refusal();
  source->store().take_writes();
  return submit(source->registry(), table, results);
}

}  // namespace

Status import_table(const std::string& directory, const CsvTable& table) {
  const Result<CsvMap> map = read_csv_map(table.map);
  if (!map) return map.refusal();
  ProgressBar::tell("reading");
  const Result<CsvResults> results =
      CsvResults::read(table.file == "-" ? "/dev/stdin" : table.file, *map);
  if (!results) return results.refusal();
  if (const Status tried = try_results(directory, table, *results); !tried) return tried;
  return write_to_directory(directory, without_rules(),
                            [&](Registry& registry) { return submit(registry, table, *results); });
}

}  // namespace laurel::tool
