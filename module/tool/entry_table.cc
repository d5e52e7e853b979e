#include "tool/entry_table.h"

#include <algorithm>
#include <utility>

namespace laurel::tool {

Table entry_table(Json entries) {
  const auto some_have = [&entries](const char* field) {
    return std::any_of(entries.begin(), entries.end(),
                       [field](const Json& entry) { return entry.contains(field); });
  };
  Table table{.columns = {{"rank", "rank", Column::Kind::number}, {"player", "player"}}};
  if (some_have("name")) table.columns.push_back({"name", "name"});
  table.columns.push_back({"score", "score", Column::Kind::score});
  if (some_have("rank_change"))
    table.columns.push_back({"change", "rank_change", Column::Kind::number});
  table.columns.push_back({"at", "at", Column::Kind::time});
  if (some_have("data")) table.columns.push_back({"data", "data"});
  table.rows = std::move(entries);
  return table;
}

}  // namespace laurel::tool
