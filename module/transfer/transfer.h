// transfer.h - writes the local boards, players and sessions of a registry as JSON lines, and reads
// them: a round trip loses nothing.
//
//   line     one JSON object with one member, which is one of
//              {"laurel": 1}            the first line: the version of this format
//              {"banned": TEXT}         a player banned on every board
//              {"board": {...}}         name, created, spec; the lines that follow belong to it
//              {"season": {...}}        number, started, ended, due, written, spec; past seasons
//                                       first, the running one last; the lines that follow belong
//                                       to it
//              {"entry": {...}}         player, score, at, data; on a rolling board, instead of
//                                       score, amounts: [[bucket, amount], ...]
//              {"hidden": {...}}        an entry hidden by a ban
//              {"joined": TEXT}, {"barred": TEXT}, {"pardoned": TEXT}   joined players, banned
//                                       players, players exempt from the registry's ban
//              {"attempts": {...}}      player, taken, granted: of the running season
//              {"ids": {...}}           of accepted results: their key, and accepted: [[hash,
//                                       time], ...], the oldest first; keys and hashes in base64
//              {"result": {...}}        a kept result of the running season: player, by, score, at,
//                                       data, rule_version, and before: the score, at and data held
//                                       when it came; a player's results follow one another
//              {"mark": {...}}         the last mark: empty, at, and due, the time of the next one
//              {"changed": {...}}      a player whose entry changed since: player, and the score
//                                       and at of then, if ranked
//              {"profile": {...}}       if there are any, with attributes: [[name, value], ...]
//              {"session": {...}}
//   TEXT     a string if it is UTF-8, else {"base64": "..."}.
//   times    microseconds since 1970.
//   errors   a failed export leaves an existing file as it was; a failed import changes nothing.
//   threads  one caller at a time, which waits for the disk.
//   cost     export O(n); import O(n log n), and memory for the whole file.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"
#include "registry/registry.h"
#include "store/line_file.h"

namespace laurel {

// Lines of an import between two checks of how much waits for the disk.
inline constexpr std::size_t kLinesBetweenLooks = 10'000;

// Fails with unavailable if the file cannot be written.
Status export_registry(Registry& registry, const std::string& file);

// Writes the lines to `out`, whose errors finish() tells. With `only`, a board of this registry:
// its lines alone, and the names that hear of the ends of its seasons. A player who is banned on
// every board is then banned on that one, if the ban hides an entry.
void export_registry(Registry& registry, LineWriter& out, std::optional<std::string_view> only);

// Writes the entries as comma-separated values (csv.h): boards by name, of each board all seasons
// that it keeps, the running one first, each in its order. With `only`, those of this board. Fails
// with unavailable; errors of `out` are told by finish(). The columns are those of running seasons.
Status export_csv(Registry& registry, LineWriter& out, std::optional<std::string_view> only);

// Fails with  unavailable  the file cannot be read, the disk failed, or the registry would have
//                          more than kBoardsMax boards
//             taken        a board or a profile of the file exists already
//             bad_data     a line is damaged; the message says which, and how
Status import_registry(Registry& registry, const std::string& file);

}  // namespace laurel
