// A registry's rules: trying them on journals, and loading them again.
#include <utility>

#include "registry/registry.h"

namespace laurel {

Result<std::shared_ptr<RuleTrial>> Registry::trial(std::string_view rule) const {
  if (context_.rules) return context_.rules->trial(rule);
  return Refusal(Code::unavailable, "these boards were opened without a directory of rules");
}

Rehearsals::Find Registry::finder() const {
  return [this](BoardHandle handle) { return peek(handle); };
}

Rehearsals::EachBoard Registry::visitor() const {
  return [this](const std::function<void(BoardHandle, const Board&)>& visit) {
    for (const auto& [name, slot] : by_name_) {
      visit({slot, slots_[slot].generation}, *slots_[slot].board);
    }
  };
}

Result<RehearsalReport> Registry::rehearse(BoardHandle handle, std::string_view rule) const {
  Result<std::shared_ptr<RuleTrial>> version = trial(rule);
  if (!version) return version.refusal();
  const Board& board = *get(handle);
  Rehearsal work(board, std::move(*version));
  while (work.step(board)) {
  }
  return work.take_report();
}

Result<std::shared_ptr<RuleTrial>> Registry::prepare_rehearsal(std::string_view rule) const {
  if (const Status room = rehearsals_.check_room(); !room) return room.refusal();
  return trial(rule);
}

Rehearsals::Id Registry::begin_rehearsal(BoardHandle handle, std::shared_ptr<RuleTrial> version,
                                         Rehearsals::Told told) {
  return rehearsals_.begin(*get(handle), handle, std::move(version), std::move(told));
}

std::vector<RuleError> Registry::reload_rules() {
  if (!context_.rules) return {};
  std::vector<RuleError> errors = context_.rules->reload_all();
  std::vector<RuleError> kept_out =
      rehearsals_.finish_versions(*context_.rules, finder(), visitor());
  for (RuleError& error : kept_out) errors.push_back(std::move(error));
  return errors;
}

}  // namespace laurel
