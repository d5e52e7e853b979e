// json_values.h - values of boards as JSON, with the fields of the Lua API.
//
//   number   a whole number within +-2^53 has no fraction.
//   time     Unix seconds.
//   text     a string, or {"base64": ...} if it is not UTF-8.
//   score    a number; an array of numbers on a board with columns.
#pragma once

#include <string_view>

#include "board/board.h"
#include "board/standings/top_snapshot.h"
#include "profile/profiles.h"
#include "profile/sessions.h"
#include "registry/registry.h"
#include "transfer/json_line.h"

namespace laurel::tool {

Json json_number(double number);
Json json_time(Time time);
Json json_score_of(double score, const ScoreColumns* columns);

// `name` is the player's, and may be empty.
Json json_entry_of(const Standings& standings, const Entry& entry, std::string_view name);
// The entries of a board on a live channel.
Json json_entries_of(const Window& window);
Json json_profile(const Profile& profile);
Json json_session(const Session& session);
Json json_score(const Registry::ScoreOf& score);

// What info() says of a board.
Json json_info(const Board& board);
// What info() says of a part of it, which has this name: a past season, or a segment or cohort.
Json json_info(const Board& board, const ArchivedSeason* past, const Standings& part,
               std::string_view name);

}  // namespace laurel::tool
