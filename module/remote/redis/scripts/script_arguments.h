// script_arguments.h - the arguments of scripts, by name. A table of names makes both sides: C++
// writes words[kOfRows["start"]], and a script begins with generated Lua that gives its arguments
// these names. A name that is not in the table does not compile.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace laurel::redis {

template <std::size_t n>
struct Arguments {
  std::array<std::string_view, n> names;

  static constexpr std::size_t size() { return n; }
  consteval std::size_t operator[](std::string_view name) const {
    for (std::size_t i = 0; i < n; ++i) {
      if (names[i] == name) return i;
    }
    throw "no argument has this name";
  }
};
template <typename... Names>
Arguments(Names...) -> Arguments<sizeof...(Names)>;

// The arguments of every script of a shard except roll; its own follow.
//   season   "-": a past one
//   roll     "1": the shard may be moved to that season
//   order    "d"esc or "a"sc
//   at_mode  of members, as RowForm::at_mode()
//   counting  BoardFacts::counting
//   dense     "1": the season has a set of its distinct scores, or is to have one; else ""
inline constexpr Arguments kOfShard = {"season", "roll", "order", "at_mode", "counting", "dense"};

// The arguments of `write`; the submissions follow.
//   limit     largest stored number, or ""
//   required  "1": a player must join first
//   watched   number of watched positions
//   most_ids  number of ids that are kept
//   most_attempts   of a player in a season, or "": any number
//   capacity        number of players, or "": any
//   columns         of each "<unit> <size> <min> <max> <turned>;", or "": none. A field of a packed
//                   score is (score / unit) % size.
inline constexpr Arguments kOfWrite = {"limit",    "required",      "channel",  "watched",
                                       "most_ids", "most_attempts", "capacity", "columns"};

// The arguments of each submission.
//   part             the player's part of a member
//   score            or, with columns, differences to add: of each "<scaled>;"
//   keep             "b"est, "l"atest, "f"irst, "s"um; "m" for a moderator: that score
//   data             "d" and the data, or ""
//   at               or ""
//   refused          locally: "1" before admission, "2" after it, or ""
//   judged           the score that a rule saw; "": there is no rule, "-": it saw no entry
//   server           of a post; "": it is none
//   joins, reports   "1" if so
//   id               "<now> <id>", or ""
inline constexpr Arguments kOfSubmission = {
    "player",    "part",        "keep",   "score",  "data",   "at",    "refused", "judged",
    "judged_at", "judged_data", "server", "number", "before", "joins", "reports", "id"};

// The arguments of `player`.
//   what  "remove", "leave", "join", "ban", "unban" or "forget"
inline constexpr Arguments kOfPlayer = {"what",   "player", "part",  "channel",
                                        "server", "number", "before"};

inline constexpr Arguments kOfClear = {"channel"};

// The arguments of `rows`.
//   side      from the "b"est or from the "w"orst
//   kind      of start: "at" a position, "from" a score, "around" a player, "after" a row
//   start     that; of a row its score
//   rows      their number; above and below for "around"
//   part      the player's part of a member; of a row its member
//   inverted  "1": members have the id inverted
inline constexpr Arguments kOfRows = {"side", "kind", "start", "rows", "part", "inverted"};

// The arguments of each probe of `counts`.
//   member   "": none
inline constexpr Arguments kOfProbe = {"score", "member"};

// The arguments of each player of `find`; its part of a member.
inline constexpr Arguments kOfFound = {"player", "part"};

// The arguments of `repeats`.
//   id   "<now> <id>"
inline constexpr Arguments kOfRepeats = {"id"};

// The arguments of `attempts`.
//   more   to grant, or "": none
inline constexpr Arguments kOfAttempts = {"most_attempts", "player", "more"};

// The arguments of `distinct`.
//   after   a score, or an infinite end
//   till    a score
//   most    about how many scores
inline constexpr Arguments kOfDistinct = {"after", "till", "most"};

// The arguments of `extend`.
//   number_of_season  also of a past one
//   most    about how many scores
inline constexpr Arguments kOfExtend = {"number_of_season", "most"};

inline constexpr Arguments kOfRoll = {"season", "channel"};

}  // namespace laurel::redis
