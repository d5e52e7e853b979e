// keep_rules.h - rules that leave every result to the `keep` of its board: for results that another
// server has accepted.
#pragma once

#include <string_view>

#include "board/rules.h"

namespace laurel::tool {

class KeepRules final : public Rules {
 public:
  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return false; }
  Result<Verdict> judge(RuleId, const RuleCase&, RuleFailure) override { return Verdict(); }
};

}  // namespace laurel::tool
