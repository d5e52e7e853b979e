#include "remote/ask.h"

#include <type_traits>

namespace laurel {

namespace {

template <typename What, typename... Which>
constexpr bool is_one_of = (std::is_same_v<What, Which> || ...);

}  // namespace

Submission OwnedSubmission::view() const { return {player, score, data, at}; }

OwnedSubmission own(const Submission& submission) {
  OwnedSubmission owned{.player = std::string(submission.player), .score = submission.score};
  if (submission.data) owned.data = std::string(*submission.data);
  owned.at = submission.at;
  return owned;
}

bool writes(const Ask& what) {
  return std::visit(
      [](const auto& each) {
        return is_one_of<std::decay_t<decltype(each)>, ask::WriteSpec, ask::Drop, ask::Write,
                         ask::WriteAll, ask::Remove, ask::Clear, ask::Join, ask::Leave, ask::Ban,
                         ask::Unban, ask::Forget, ask::Reset, ask::SavePlayer, ask::RecordSession,
                         ask::ForgetPlayer>;
      },
      what);
}

bool is_of_players(const Ask& what) {
  return std::visit(
      [](const auto& each) {
        return is_one_of<std::decay_t<decltype(each)>, ask::SavePlayer, ask::ReadPlayer,
                         ask::ReadPlayerByEmail, ask::RecordSession, ask::SessionsOf,
                         ask::SessionsIn, ask::ReadSession, ask::ScoresOf, ask::ForgetPlayer>;
      },
      what);
}

}  // namespace laurel
