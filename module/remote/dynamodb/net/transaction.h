// transaction.h - builds one TransactWriteItems. It is executed only if the conditions of all parts
// hold.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "remote/dynamodb/net/json_item.h"

namespace laurel::dynamodb {

// Required state of an item: it does not exist, or these attributes have these values. A null means
// that the attribute is missing.
struct Condition {
  bool absent = false;
  std::vector<std::pair<std::string, Json>> equal;
};

class Transaction {
 public:
  void put(Json item, const Condition& condition);
  void put(Json item);  // unconditionally
  void erase(const Json& key, const Condition& condition);
  void check(const Json& key, const Condition& condition);
  // Sets attributes, and adds to numeric ones.
  void update(const Json& key, const Condition& condition,
              const std::vector<std::pair<std::string, Json>>& set,
              const std::vector<std::pair<std::string, std::int64_t>>& add);

  bool empty() const { return parts_.empty(); }
  std::size_t size() const { return parts_.size(); }
  // The arguments of the operation. Clears the transaction.
  Json arguments(std::string_view table);

 private:
  std::vector<Json> parts_;
};

}  // namespace laurel::dynamodb
