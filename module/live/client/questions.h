// questions.h - a gateway's questions whose tokens are, from the caller's call to the callback.
//
//   question  is sent once for each connection, and answered by the server, or after
//             kLiveAnswerWithin. Its callback is called once.
//   limits    kLiveQuestionsMax questions that are not answered.
//   threads   none.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "base/time.h"
#include "live/wire/wire.h"

namespace laurel {

// Gets a token's player; or unknown, unsupported, unavailable.
using OnPlayer = std::function<void(const Result<std::string>&)>;

class Questions {
 public:
  using Answers = std::vector<std::pair<OnPlayer, Result<std::string>>>;

  // Fails with  out_of_range  the token is not 1 to kLiveTokenTextBytesMax bytes
  //             unavailable   kLiveQuestionsMax questions are not answered yet
  Status ask(std::string_view token, OnPlayer on_player);
  bool empty() const { return questions_.empty(); }

  // What must be sent next on this connection; absent: nothing. Valid until the next call.
  std::optional<AskPlayer> next() const;
  // It was sent.
  void sent();
  // The connection was lost: all must be sent on the next one.
  void lose();

  void answer(const PlayerIs& answer);
  // Answers the question that must be sent next, and does not send it.
  void refuse_next(const Refusal& refusal);
  void answer_all(const Refusal& refusal);
  // Answers those that wait for too long.
  void expire(Time now);

  // Removes the answers that were not taken, in their order.
  Answers take_answers() { return std::exchange(answers_, {}); }
  void clear();

 private:
  struct Question {
    std::uint32_t number = 0;
    std::string token;
    OnPlayer on_player;
    std::optional<Time> asked_at;  // the first tick after the call
    bool sent = false;             // on this connection
  };

  // Answers and erases the questions for which `due` is true.
  template <typename Due>
  void answer_those(Due due, const Result<std::string>& result);

  std::vector<Question> questions_;  // at most kLiveQuestionsMax
  std::uint32_t last_number_ = 0;
  Answers answers_;
};

}  // namespace laurel
