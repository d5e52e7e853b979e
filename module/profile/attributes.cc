#include "profile/attributes.h"

#include <algorithm>
#include <map>

#include "base/text.h"

namespace laurel {

namespace {

bool is_text(std::string_view text, std::size_t size_max) {
  return !text.empty() && text.size() <= size_max && text.find('\0') == std::string_view::npos;
}

}  // namespace

Status check_attribute_name(std::string_view name) {
  if (is_text(name, kAttributeNameBytesMax)) return Done{};
  return Refusal(Code::bad_data,
                 "an attribute's name has 1 to {} bytes and no zero byte; \"{}\" has {}",
                 kAttributeNameBytesMax, escaped(name, 64), name.size());
}

Status check_attribute_value(std::string_view name, std::string_view value) {
  if (is_text(value, kAttributeValueBytesMax)) return Done{};
  return Refusal(Code::bad_data,
                 "an attribute's value has 1 to {} bytes and no zero byte; that of \"{}\" is "
                 "\"{}\", {} bytes",
                 kAttributeValueBytesMax, escaped(name, 64), escaped(value, 64), value.size());
}

std::string_view attribute_of(std::string_view attributes, std::string_view wanted) {
  while (!attributes.empty()) {
    const std::string_view name = take_text(attributes);
    const std::string_view value = take_text(attributes);
    if (name == wanted) return value;
  }
  return {};
}

Status AttributeChanges::add(std::string_view name, std::optional<std::string_view> value) {
  if (Status valid = check_attribute_name(name); !valid) return valid;
  if (value) {
    if (Status valid = check_attribute_value(name, *value); !valid) return valid;
  }
  if (changes_ == kAttributeChangesMax) {
    return Refusal(Code::bad_data, "at most {} attributes are changed at once",
                   kAttributeChangesMax);
  }
  append(name);
  append(value.value_or(""));
  ++changes_;
  return Done{};
}

void AttributeChanges::append(std::string_view text) {
  std::ranges::copy(text, text_.data() + size_);
  size_ += text.size();
  text_[size_++] = '\0';
}

Result<std::string> changed_attributes(std::string_view attributes, std::string_view changes) {
  std::map<std::string_view, std::string_view> values;
  const auto set = [&values](std::string_view name, std::string_view value) {
    values[name] = value;
  };
  each_attribute(attributes, set);
  each_attribute(changes, set);
  std::erase_if(values, [](const auto& each) { return each.second.empty(); });
  if (values.size() > kAttributesMax) {
    return Refusal(Code::bad_data, "a player has at most {} attributes; these are {}",
                   kAttributesMax, values.size());
  }
  std::string changed;
  for (const auto& [name, value] : values) {
    changed.append(name).push_back('\0');
    changed.append(value).push_back('\0');
  }
  return changed;
}

}  // namespace laurel
