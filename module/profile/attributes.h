// attributes.h - what a game says about a player besides name and email, such as country = DE.
//
//   attribute  a name of 1 to kAttributeNameBytesMax bytes, and a value of 1 to
//              kAttributeValueBytesMax bytes. Neither has a zero byte.
//   text       a player's attributes as one text, sorted by name: each name and each value ends
//              with a zero byte, so that views of them are C strings. Empty: there are none.
//   limits     kAttributesMax of a player; kAttributeChangesMax changes at once.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "base/limits.h"
#include "base/result.h"

namespace laurel {

// Fails with bad_data.
Status check_attribute_name(std::string_view name);
Status check_attribute_value(std::string_view name, std::string_view value);

// Takes the text up to a zero byte, and the zero byte.
inline std::string_view take_text(std::string_view& rest) {
  const std::string_view text = rest.substr(0, rest.find('\0'));
  rest.remove_prefix(text.size() + 1);
  return text;
}

// Calls visit(name, value) for each, sorted by name.
template <typename Visit>
void each_attribute(std::string_view attributes, Visit visit) {
  while (!attributes.empty()) {
    const std::string_view name = take_text(attributes);
    visit(name, take_text(attributes));
  }
}

// The value of an attribute; empty if the player does not have it.
std::string_view attribute_of(std::string_view attributes, std::string_view name);

// Attributes to set and to take off. It owns its memory and needs no destructor, since Lua errors
// skip those (bindings/lua/args.h).
class AttributeChanges {
 public:
  // Sets the attribute; nullopt takes it off. Fails with bad_data, and then changes nothing.
  Status add(std::string_view name, std::optional<std::string_view> value);
  // As the text of attributes, but in any order; an empty value means: taken off.
  std::string_view text() const { return {text_.data(), size_}; }

 private:
  static constexpr std::size_t kTextMax =
      kAttributeChangesMax * (kAttributeNameBytesMax + 1 + kAttributeValueBytesMax + 1);

  void append(std::string_view text);

  std::array<char, kTextMax> text_;
  std::size_t size_ = 0;
  std::size_t changes_ = 0;
};

// The attributes after these changes, which are a text() of AttributeChanges. Attributes that it
// does not name stay. Fails with bad_data if there would be more than kAttributesMax.
Result<std::string> changed_attributes(std::string_view attributes, std::string_view changes);

}  // namespace laurel
