#include "remote/dynamodb/net/transaction.h"

#include <fmt/core.h>

namespace laurel::dynamodb {

namespace {

// Attribute names always use placeholders: many are words that DynamoDB reserves.
std::string named(const std::string& attribute, Json& part) {
  part["ExpressionAttributeNames"]["#" + attribute] = attribute;
  return "#" + attribute;
}

std::string valued(const std::string& name, const Json& value, Json& part) {
  part["ExpressionAttributeValues"][":" + name] = value;
  return ":" + name;
}

void add_condition(const Condition& condition, Json& part) {
  std::string text = condition.absent ? "attribute_not_exists(PK)" : "";
  for (const auto& [attribute, value] : condition.equal) {
    if (!text.empty()) text += " AND ";
    const std::string name = named(attribute, part);
    text += value.is_null() ? fmt::format("attribute_not_exists({})", name)
                            : fmt::format("{} = {}", name, valued("was_" + attribute, value, part));
  }
  if (!text.empty()) part["ConditionExpression"] = text;
}

}  // namespace

void Transaction::put(Json item, const Condition& condition) {
  Json part;
  part["Item"] = std::move(item);
  add_condition(condition, part);
  parts_.push_back(Json{{"Put", std::move(part)}});
}

void Transaction::put(Json item) { put(std::move(item), {}); }

void Transaction::erase(const Json& key, const Condition& condition) {
  Json part;
  part["Key"] = key;
  add_condition(condition, part);
  parts_.push_back(Json{{"Delete", std::move(part)}});
}

void Transaction::check(const Json& key, const Condition& condition) {
  Json part;
  part["Key"] = key;
  add_condition(condition, part);
  parts_.push_back(Json{{"ConditionCheck", std::move(part)}});
}

void Transaction::update(const Json& key, const Condition& condition,
                         const std::vector<std::pair<std::string, Json>>& set,
                         const std::vector<std::pair<std::string, std::int64_t>>& add) {
  Json part;
  part["Key"] = key;
  add_condition(condition, part);
  std::string text;
  std::string_view before = "SET ";
  for (const auto& [attribute, value] : set) {
    const std::string name = named(attribute, part);
    text += fmt::format("{}{} = {}", before, name, valued("now_" + attribute, value, part));
    before = ", ";
  }
  before = set.empty() ? "ADD " : " ADD ";
  for (const auto& [attribute, number] : add) {
    const std::string name = named(attribute, part);
    text += fmt::format("{}{} {}", before, name,
                        valued("more_" + attribute, number_value(number), part));
    before = ", ";
  }
  part["UpdateExpression"] = text;
  parts_.push_back(Json{{"Update", std::move(part)}});
}

Json Transaction::arguments(std::string_view table) {
  Json arguments;
  Json& items = arguments["TransactItems"] = Json::array();
  for (Json& part : parts_) {
    for (auto& [kind, inner] : part.items()) inner["TableName"] = std::string(table);
    items.push_back(std::move(part));
  }
  parts_.clear();
  return arguments;
}

}  // namespace laurel::dynamodb
