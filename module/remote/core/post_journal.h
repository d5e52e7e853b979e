// post_journal.h - writes that are promised to remotes: kept in the registry's store, in the order
// of posting, until the remote has acknowledged them.
//
//   number   goes up with every post, over all boards and restarts. It is the key of the row.
//   server   a random number, drawn at each opening. Posts of an earlier opening keep theirs, so
//            that posts applied before a crash are not applied again.
//   moment   a post without one gets the registry's next timestamp when it is posted.
//   memory   if the registry has no path, pending posts are lost at a restart.
//   limits   kPostsMax submissions. Bans and other orders of the registry are accepted beyond it.
//   threads  the registry's caller.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "board/spec/spec_change.h"
#include "remote/core/pending_requests.h"

namespace laurel {

// The kinds of posts: `submit` has a submission, the others only a player.
enum class PostKind : std::uint8_t { submit, ban, unban, forget };

struct Post {
  std::uint64_t number = 0;
  std::string row;    // packed: a million of them wait in a long outage
  bool done = false;  // acknowledged, but an earlier post is not
};

struct PostForm {
  std::string board;
  std::uint64_t server = 0;
  Time posted = 0;  // Unix time
  PostKind kind = PostKind::submit;
  OwnedSubmission what;
};

// REQUIRES: its row is valid.
PostKind kind_of(const Post& post);
std::string pack_post(const PostForm& form);
// Nothing if the bytes are not a valid post.
std::optional<PostForm> unpack_post(std::string_view row);

class Journal {
 public:
  explicit Journal(PendingRequests& requests) : requests_(requests) {}

  // The stored posts by board, in order. Must be called before keep().
  std::map<std::string, std::vector<Post>> load();

  // Fails with unavailable.
  Result<Post> keep(const std::string& board, PostKind kind, OwnedSubmission what);
  // Removes a post that was acknowledged, or whose board is gone.
  void done(const Post& post);
  // Logs a post that the remote or the rule refused, at most kPostLinesPerSecond lines a second.
  void refused(const std::string& board, const Post& post, const Refusal& refusal);

  // The boards that pending posts need after a restart, each with the change that opened it.
  void keep_board(const std::string& board, const std::string& remote, const SpecChange& change);
  void forget_board(const std::string& board);
  struct KeptBoard {
    std::string remote;
    SpecChange change;
  };
  std::map<std::string, KeptBoard> load_boards() const;

 private:
  PersistentRows rows() const { return requests_.registry().remote_rows(kPostsPrefix); }
  PersistentRows board_rows() const {
    return requests_.registry().remote_rows(kRemoteBoardsPrefix);
  }

  PendingRequests& requests_;
  std::uint64_t server_ = 0;
  std::uint64_t last_ = 0;
  std::size_t pending_ = 0;
  Time lines_since_ = 0;  // start of the current second of the log limit, by the steady clock
  unsigned lines_ = 0;
  std::uint64_t unsaid_ = 0;
};

}  // namespace laurel
