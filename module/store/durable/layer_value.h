// layer_value.h - the value format of a layer of unwritten changes: a key's value, or that the key
// is erased.
//
//   form  '+' and the value, or '-'.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace laurel {

inline void set_layer_value(std::string& out, std::optional<std::string_view> value) {
  out.assign(1, value ? '+' : '-');
  if (value) out.append(*value);
}

inline std::optional<std::string_view> layer_value(std::string_view stored) {
  if (stored.front() == '-') return std::nullopt;
  return stored.substr(1);
}

}  // namespace laurel
