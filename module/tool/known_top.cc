#include "tool/known_top.h"

#include <algorithm>

#include <fmt/core.h>

#include "base/text.h"
#include "tool/entry_table.h"
#include "tool/json_values.h"
#include "transfer/csv.h"

namespace laurel::tool {

namespace {

// What no form of the answer may leave out.
std::string caveat_of(const KnownTop& known, std::size_t kept, bool wants_more) {
  std::string said = fmt::format("last known at {}; the board is in remote \"{}\"",
                                 iso_time(known.known), escaped(known.remote, 64));
  if (wants_more && kept < known.top.size) {
    said += fmt::format(", and the first {} of its {} entries are kept here", kept, known.top.size);
  }
  return said;
}

}  // namespace

Result<Answer> show_known_top(Source& source, const std::string& board, std::size_t first,
                              std::size_t n, std::optional<std::uint64_t> season) {
  const KnownTops& tops = source.registry().known_tops();
  if (!tops.has(board)) {
    return Refusal(Code::unavailable,
                   "board \"{}\" is remote: no server that had this directory open has read its "
                   "top",
                   escaped(board, 64));
  }
  if (season) {
    return Refusal(Code::unavailable,
                   "board \"{}\" is remote: only its last known top is in this directory, and no "
                   "seasons",
                   escaped(board, 64));
  }
  std::optional<KnownTop> known = tops.find(board);
  if (!known) {
    return Refusal(Code::bad_data, "the last known top of board \"{}\" cannot be read",
                   escaped(board, 64));
  }
  Window& top = known->top;
  const std::size_t kept = top.entries.size();
  first = std::min(first, kept);
  const bool wants_more = n > kept - first;
  top.entries.erase(top.entries.begin(), top.entries.begin() + static_cast<std::ptrdiff_t>(first));
  if (n < top.entries.size()) top.entries.resize(n);
  source.registry().names_of_players().fill(top);

  Answer answer;
  answer.json = json_entries_of(top);
  for (Json& entry : answer.json) {
    entry["remote"] = json_text(known->remote);
    entry["known_at"] = json_time(known->known);
  }
  answer.tables.push_back(entry_table(answer.json));
  const CsvEntries csv({&top.columns, 1});
  answer.csv.push_back(csv.header());
  for (std::size_t i = 0; i < top.entries.size(); ++i) {
    const WindowEntry& entry = top.entries[i];
    answer.csv.push_back(csv.row({.board = board,
                                  .season = 0,
                                  .position = first + i + 1,
                                  .name = entry.name ? *entry.name : std::string_view(),
                                  .columns = top.columns.get()},
                                 {.player = entry.player,
                                  .score = entry.score,
                                  .rank = entry.rank,
                                  .at = entry.at.value_or(0),
                                  .data = entry.data,
                                  .overall = {}}));
  }
  answer.caveat = caveat_of(*known, kept, wants_more);
  return answer;
}

}  // namespace laurel::tool
