// result_rows.h - letters of rows in a board's space that say where the store has what is kept of
// results. The other letters are in board_codec.h.
#pragma once

namespace laurel {

inline constexpr char kIdsLetter = 'i';       // the space of ids, and their key: accepted_ids.h
inline constexpr char kAttemptsLetter = 'a';  // the space of counts: attempts.h
inline constexpr char kHistoryLetter = 'r';   // the space of kept results: result_history.h

// Ends such a row if the space is a record log (store/record_log.h); the form before had nothing.
inline constexpr char kRecordLogForm = 2;

}  // namespace laurel
