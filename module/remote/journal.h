// journal.h - what was promised to be applied elsewhere: kept in the registry's store, in the order
// of posting, until the remote acknowledged it.
//
//   number    of a post: goes up with every one, over all boards, and over restarts; it is its
//             row's key.
//   server    a random number, drawn at each opening: posts of an earlier one keep theirs, so that
//             what was applied before a crash is not applied again.
//   moment    a post without one gets the registry's next when it is posted.
//   memory    where the registry has no path: then a restart forgets what is pending.
//   limits    kPostsMax; the registry's own words (bans) are taken beyond it.
//   threads   the registry's caller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "remote/asks.h"

namespace laurel {

// What is kept of a post; `submit` of a submission, the others of a player.
enum class PostKind : std::uint8_t { submit, ban, unban, forget };

struct Post {
  std::uint64_t number = 0;
  std::string row;    // packed: a million of them wait in a long outage
  bool done = false;  // acknowledged, behind one that is not
};

struct PostForm {
  std::string board;
  std::uint64_t server = 0;
  Time posted = 0;  // Unix time
  PostKind kind = PostKind::submit;
  OwnedSubmission what;
};

std::string pack_post(const PostForm& form);
// Nothing where the bytes are no post.
std::optional<PostForm> unpack_post(std::string_view row);

class Journal {
 public:
  explicit Journal(Asks& asks) : asks_(asks) {}

  // What the store has, by board, in order. Afterwards more can be kept.
  std::map<std::string, std::vector<Post>> load();

  // Fails with unavailable.
  Result<Post> keep(const std::string& board, PostKind kind, OwnedSubmission what);
  // It was acknowledged, or its board is gone.
  void done(const Post& post);
  // Likewise, and the remote or the rule refused it.
  void refused(const std::string& board, const Post& post, const Refusal& refusal);

  // Boards that pending posts will want after a restart: each with the change that opened it.
  void keep_board(const std::string& board, const std::string& remote, const SpecChange& change);
  void forget_board(const std::string& board);
  struct KeptBoard {
    std::string remote;
    SpecChange change;
  };
  std::map<std::string, KeptBoard> load_boards() const;

 private:
  KeptRows rows() const { return asks_.registry().remote_rows(kPostsLetter); }
  KeptRows board_rows() const { return asks_.registry().remote_rows(kRemoteBoardsLetter); }

  Asks& asks_;
  std::uint64_t server_ = 0;
  std::uint64_t last_ = 0;
  std::size_t pending_ = 0;
  Time lines_since_ = 0;  // a second of the log, by the steady clock
  unsigned lines_ = 0;
  std::uint64_t unsaid_ = 0;
};

}  // namespace laurel
