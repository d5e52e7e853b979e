// transfer.h - a whole registry as JSON lines, out and in again: a round trip loses nothing.
//
//   line     one JSON object with one member, which says what it is:
//              {"laurel": 1}            first, the version of this form
//              {"banned": TEXT}         a player banned on every board
//              {"board": {...}}         name, created, spec; what follows belongs to it
//              {"season": {...}}        number, started, ended, due, written, spec; the past ones
//                                       first, the running one last; what follows belongs to it
//              {"entry": {...}}         player, score, at, data
//              {"activity": {...}}      player, at, data, amounts: [[bucket, amount], ...]
//              {"hidden": {...}}        an entry or an activity that a ban hides
//              {"joined": TEXT}, {"barred": TEXT}, {"pardoned": TEXT}   who may play on the board
//              {"profile": {...}}, {"session": {...}}
//   TEXT     a string where it is UTF-8, else {"base64": "..."}.
//   times    microseconds since 1970.
//   whole    an export that fails leaves a file of that name as it was; an import that fails
//            changes nothing.
//   threads  one caller at a time, who waits for the disk.
//   cost     export O(n); import O(n log n), and memory for what the file holds.
#pragma once

#include <string>

#include "base/result.h"
#include "board/registry.h"

namespace laurel {

// Fails with unavailable: the file cannot be written.
Status export_registry(Registry& registry, const std::string& file);

// Fails with  unavailable  the file cannot be read
//             taken        a board or a profile of the file exists here
//             bad_data     a line is damaged; the sentence says which, and how
Status import_registry(Registry& registry, const std::string& file);

}  // namespace laurel
