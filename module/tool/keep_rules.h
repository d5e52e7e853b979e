// keep_rules.h - rules that leave every result to the `keep` of its board: for results that another
// server has accepted.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "board/rules.h"

namespace laurel::tool {

class KeepRules final : public Rules {
 public:
  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return false; }
  Result<Verdict> judge(RuleId, const RuleCase&, RuleFailure) override { return Verdict(); }
  Refusal overrule(RuleId, std::string_view, std::string_view, std::string reason) override {
    return {Code::rejected, reason};
  }
  bool wants_changes(RuleId) const override { return false; }
  void changed(RuleId, const Change&) override {}
  std::string version(RuleId) const override { return {}; }
  void reload_changed() override {}
  std::vector<RuleError> reload_all() override { return {}; }
  RuleStats stats() const override { return {}; }
};

}  // namespace laurel::tool
