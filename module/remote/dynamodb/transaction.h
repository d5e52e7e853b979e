// transaction.h - the parts of one TransactWriteItems, each with the condition under which all of
// them are done.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/dynamodb/json_item.h"

namespace laurel::dynamodb {

// What an item must be: there is none, or these attributes have these values; a null stands for an
// attribute that is missing.
struct Condition {
  bool absent = false;
  std::vector<std::pair<std::string, Json>> equal;
};

class Transaction {
 public:
  void put(Json item, const Condition& condition);
  void put(Json item);  // whatever is there
  void erase(const Json& key, const Condition& condition);
  void check(const Json& key, const Condition& condition);
  // Sets attributes, and adds to others.
  void update(const Json& key, const Condition& condition,
              const std::vector<std::pair<std::string, Json>>& set,
              const std::vector<std::pair<std::string, std::int64_t>>& add);

  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  // The operation's arguments. The transaction is empty afterwards.
  Json arguments(std::string_view table);

 private:
  std::vector<Json> parts_;
};

}  // namespace laurel::dynamodb
