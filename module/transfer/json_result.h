// json_result.h - converts a result that a board has kept between its form and JSON.
#pragma once

#include <string>
#include <string_view>

#include "board/results/kept_result.h"
#include "board/spec/spec.h"
#include "transfer/json_line.h"

namespace laurel {

Json json_result(const Spec& spec, std::string_view player, const KeptResult& result);

struct ReadResult {
  std::string player;
  KeptResult result;  // without its number
};
// Fails with bad_data if a member is missing, or if a board with this spec cannot hold the result.
Result<ReadResult> read_result(const Spec& spec, const Json& value);

}  // namespace laurel
