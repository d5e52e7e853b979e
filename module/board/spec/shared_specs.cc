#include "board/spec/shared_specs.h"

#include <limits>
#include <string>
#include <utility>
#include <variant>

#include "base/bytes.h"
#include "board/spec/spec_change.h"

namespace laurel {

SharedSpecs::Key SharedSpecs::key_of(const Spec& spec) const {
  std::string fields;
  ByteWriter writer(fields, std::numeric_limits<std::size_t>::max());
  const auto text = [&writer](std::string_view words) {
    writer.leb(words.size());
    writer.bytes(words);
  };
  each_field(spec, [&](std::string_view field, const FieldValue& value) {
    text(field);
    writer.u8(static_cast<std::uint8_t>(value.index()));
    if (const auto* words = std::get_if<std::string_view>(&value)) {
      text(*words);
    } else if (const auto* number = std::get_if<double>(&value)) {
      writer.f64(*number);
    } else {
      writer.u8(std::get<bool>(value) ? 1 : 0);
    }
  });
  const Hash128 hash = secret_.wide(fields);
  return {hash.low, hash.high};
}

SharedSpec SharedSpecs::get(const Spec& spec) {
  const Key key = key_of(spec);
  std::weak_ptr<const Spec>& shared = specs_[key];
  if (SharedSpec known = shared.lock()) return known;
  const auto forget = [this, key](const Spec* gone) {
    specs_.erase(key);
    delete gone;
  };
  SharedSpec made(new Spec(spec), forget);
  shared = made;
  return made;
}

std::size_t SharedSpecs::bytes() const {
  constexpr std::size_t kNodeBytes = 48;  // of a map's node, besides its value, and of the counts
  return specs_.size() *
         (sizeof(Spec) + sizeof(Key) + sizeof(std::weak_ptr<const Spec>) + kNodeBytes);
}

}  // namespace laurel
