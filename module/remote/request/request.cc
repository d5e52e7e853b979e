#include "remote/request/request.h"

#include <memory>
#include <type_traits>
#include <utility>

#include "board/refusals.h"

namespace laurel {

template <typename Forms>
OneOf<Forms>::OneOf() : Forms() {}
template <typename Forms>
OneOf<Forms>::OneOf(const OneOf& other) requires std::is_copy_constructible_v<Forms>
    : Forms(static_cast<const Forms&>(other)) {}
template <typename Forms>
OneOf<Forms>::OneOf(OneOf&& other) noexcept : Forms(static_cast<Forms&&>(other)) {}
template <typename Forms>
OneOf<Forms>& OneOf<Forms>::operator=(
    const OneOf& other) requires std::is_copy_constructible_v<Forms> {
  return *this = OneOf(other);
}
template <typename Forms>
OneOf<Forms>& OneOf<Forms>::operator=(OneOf&& other) noexcept {
  // The assignment of a variant has code for each form, too, which nothing else needs.
  if (this == &other) return *this;
  std::destroy_at(this);
  return *std::construct_at(this, std::move(other));
}
template <typename Forms>
OneOf<Forms>::~OneOf() {}

template class OneOf<RequestForms>;
// One by one: clang 14 would instantiate the copy of the whole class, and Entries has none.
template OneOf<ValueForms>::OneOf();
template OneOf<ValueForms>::OneOf(OneOf&& other) noexcept;
template OneOf<ValueForms>& OneOf<ValueForms>::operator=(OneOf&& other) noexcept;
template OneOf<ValueForms>::~OneOf();

Submission OwnedSubmission::view() const {
  return {player, score, data, at, id, columns ? &*columns : nullptr};
}

OwnedSubmission own(const Submission& submission) {
  OwnedSubmission owned{.player = std::string(submission.player), .score = submission.score};
  if (submission.data) owned.data = std::string(*submission.data);
  owned.at = submission.at;
  if (submission.id) owned.id = std::string(*submission.id);
  if (submission.columns != nullptr) owned.columns = *submission.columns;
  return owned;
}

Result<ColumnValues> differences_of(const ScoreColumns& columns, const OwnedSubmission& what) {
  if (what.columns) return columns.differences(*what.columns);
  if (!columns.is_whole(what.score)) return no_score_of_columns(what.score);
  return columns.values(what.score);
}

Result<double> whole_score_of(const ScoreColumns& columns, const OwnedSubmission& what) {
  if (what.columns) return columns.number(*what.columns);
  if (!columns.is_whole(what.score)) return no_score_of_columns(what.score);
  return what.score;
}

bool writes(const Request& what) {
  return std::visit([]<typename What>(const What&) -> bool { return What::kWrites; }, what);
}

bool is_of_players(const Request& what) {
  return std::visit([]<typename What>(const What&) -> bool { return kIsOfPlayers<What>; }, what);
}

}  // namespace laurel
