// submission_words.h - the arguments of scripts for submissions, and what the scripts answer:
// members of RequestHandler, and what its other handlers need of the arguments.
#pragma once

#include <optional>
#include <string>

#include "base/time.h"
#include "board/spec/spec.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/scripts/script_arguments.h"
#include "remote/request/request.h"

namespace laurel::redis {

// An argument of scripts: the id of a result, which the submission has. On a board of several
// shards, which no script sees together, the id is its player's.
std::string id_word(const Spec& spec, const OwnedSubmission& what, Time now);

// The number of a post. `arguments` is the table of the words.
template <const auto& arguments>
void write_post(const std::optional<PostNumber>& post, Words& words) {
  if (!post) return;
  words[arguments["server"]] = std::to_string(post->server);
  words[arguments["number"]] = std::to_string(post->number);
  words[arguments["before"]] = std::to_string(post->before);
}

// Why a post is not applied: the one before it has not arrived.
Refusal post_missing(const PostNumber& post);

}  // namespace laurel::redis
