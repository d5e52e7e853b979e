// me.h - finds the entries around the player of a token.
//
//   token     the server says whose it is, which spends no use of it. A stream that was let in may
//             come again without that (grants.h).
//   waiting   a caller that is not a stream gets an answer when the entries have arrived, or after
//             kAnswerWithin.
//   owner     refers to the feed, which must outlive it.
//   threads   one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "web/feed/feed.h"
#include "web/grants.h"
#include "web/http/request.h"

namespace laurel::web {

// The token in "Bearer TOKEN". Absent if the field has another form.
std::optional<std::string_view> bearer_token(std::string_view authorization);

// Why there is no state of a board to answer with: 404 or 503. Absent: there is one.
std::optional<Failure> not_served(const Feed& feed, std::string_view board);

class Me {
 public:
  struct Found {
    Topic* topic = nullptr;  // of the entries; valid until the callback returns, or joined by then
    std::unique_ptr<Grants::Stream> grant;  // of a stream
  };
  using OnFound = std::function<void(std::variant<Found, Failure>)>;

  explicit Me(Feed& feed) : feed_(feed) {}

  // Calls back once, now or in a later tick(). Fails with 401, 404 or 503.
  //   for_stream   the caller waits for the entries itself
  void find(std::string_view token, const std::string& board, bool for_stream, OnFound on_found);
  void tick(Time now);

 private:
  struct Question {
    std::string token, board;
    bool for_stream = false;
    OnFound on_found;
  };
  struct Waiting {
    std::string board, player;
    Time until = 0;
    OnFound on_found;
  };

  // Asks which player the token belongs to, and `more` times again if the server knows no such
  // token.
  void ask(const Question& question, unsigned more);
  void identified(const Question& question, const std::string& player);
  // Calls back if the answer is known.
  bool is_answered(const Waiting& waiting, Time now);

  Feed& feed_;
  Grants grants_;
  std::vector<Waiting> waiting_;  // at most one for each connection
};

}  // namespace laurel::web
