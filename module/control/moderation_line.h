// moderation_line.h - an order of a moderator, and its answer, each as one line of JSON.
//
//   {"order": "ban", "player": "eve", "board": "b"}         unban, remove; ban and unban without a
//                                                           board: on every one; forget has none
//   {"order": "set", "board": "b", "player": "eve", "score": "12,3.5"}
//   {"order": "void", "board": "b", "player": "eve", "at": "2026-11-26T08:15:00.000000Z"}
//   {"order": "reset", "board": "b"}
//   {"done": "player \"eve\" is banned on every board"}
//   {"refused": "unknown: no board is called \"c\""}
//
//   text     as in exports: a string, or {"base64": "..."} if the bytes are not UTF-8.
//   limits   an order has at most kControlLineBytesMax bytes, without its line end.
//   strict   an order with a member that is missing, unknown, or of another type is not an order.
//   threads  none.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/result.h"

namespace laurel {

struct Moderation {
  enum class Kind : std::uint8_t { ban, unban, forget, set, remove, take_back, reset };

  Kind kind = Kind::ban;
  std::string board = {};   // empty: every board
  std::string player = {};  // empty in `reset`
  std::string value = {};   // the score of `set`, and the moment of `take_back`, as people write it
};

// The word of the command line: "ban"; take_back is "void".
std::string_view word(Moderation::Kind kind);

// Fails with bad_data.
Result<Moderation> read_moderation(std::string_view line);
std::string line_of(const Moderation& order);  // without a line end

// What was done, in a sentence; or why not.
std::string answer_line(const Result<std::string>& done);
// Fails as the order did, and with bad_data if the line is not an answer.
Result<std::string> read_answer(std::string_view line);

}  // namespace laurel
