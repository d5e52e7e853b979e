#include "remote/dynamodb/archive_items.h"

#include <fmt/core.h>

#include "remote/dynamodb/board_metadata.h"
#include "remote/dynamodb/keys.h"
#include "remote/request/spec_codec.h"

namespace laurel::dynamodb {

std::string copy_base_of(const Target& target) {
  return copy_base(target.board, *target.copy_of, target.season);
}

Spec flat_spec(const Spec& spec) {
  Spec one = spec;
  if (spec.engine == EngineKind::sharded) one.engine = spec.of;
  return one;
}

CopiedItems items_of_rows(const Target& target, const std::vector<CopiedRow>& rows) {
  const EntryKeys keys(flat_spec(*target.spec));
  const std::string base = copy_base_of(target);
  CopiedItems items;
  for (const CopiedRow& copied : rows) {
    const Row row{copied.player, copied.score, copied.at, copied.data};
    items.odd_ids = items.odd_ids || keys.is_odd(row.player);
    items.pointers.push_back(keys.pointer_item(base, row));
    items.scores.push_back(keys.score_item(base, row));
  }
  return items;
}

Json whole_value(std::uint64_t number) { return decimal_value(fmt::format("{}", number)); }

std::vector<std::pair<std::string, Json>> copy_facts(const Target& target,
                                                     const request::CopySeason& request,
                                                     bool odd_ids) {
  std::vector<std::pair<std::string, Json>> set = {
      {"type", text_value("ARCHIVE")},
      {"spec", pairs_value(text_of(*target.spec))},
      {"season", whole_value(target.season)},
      {"createdAt", number_value(*target.copy_of)},
      {"startsAt", number_value(request.season.started)},
      {"endsAt", number_value(request.season.ended.value_or(request.season.started))}};
  if (odd_ids) set.emplace_back("oddIds", truth_value(true));
  if (request.last) set.emplace_back("whole", truth_value(true));
  return set;
}

}  // namespace laurel::dynamodb
