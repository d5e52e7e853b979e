// A host that was compiled with 0.1.0's headers finds each member at the offset that it expects.
#include "compatibility/layout.h"

#include <algorithm>
#include <set>
#include <string>
#include <string_view>

#include <doctest/doctest.h>

#include "laurel/laurel.h"

namespace {

// The number of members of an aggregate of scalars: the most initializers that its braces accept.
struct Anything {
  template <typename T>
  operator T() const;  // NOLINT: converts implicitly to the type of any member
};
template <typename T, typename... Members>
constexpr std::size_t member_count() {
  if constexpr (requires { T{Members{}..., Anything{}}; }) {
    return member_count<T, Members..., Anything>();
  } else {
    return sizeof...(Members);
  }
}

// The structs of 0.1.0 that end in padding. A host's struct_size includes the padding, whose
// contents are undefined: a new member has to be after it. The library fills the last of these.
const std::set<std::string> kPadded = {"laurel_connect_config", "laurel_details",
                                       "laurel_remote_state"};

std::string_view struct_of(std::string_view member) { return member.substr(0, member.find('.')); }

std::size_t members_then(std::string_view name) {
  return static_cast<std::size_t>(std::count_if(
      layout_0_1_0, layout_0_1_0 + layout_0_1_0_count, [name](const layout_fact& fact) {
        return fact.kind == LAYOUT_MEMBER && struct_of(fact.name) == name;
      }));
}

std::size_t size_then(std::string_view name) {
  return std::find_if(layout_0_1_0, layout_0_1_0 + layout_0_1_0_count,
                      [name](const layout_fact& fact) { return fact.name == name; })
      ->size;
}

}  // namespace

TEST_CASE("everything that 0.1.0's headers name has the same offset and size") {
  REQUIRE(layout_0_1_0_count == layout_today_count);
  for (std::size_t i = 0; i < layout_0_1_0_count; ++i) {
    const layout_fact& was = layout_0_1_0[i];
    const layout_fact& is = layout_today[i];
    CAPTURE(was.name);
    CHECK(was.offset == is.offset);
    if (was.kind == LAYOUT_GROWS) {
      CHECK(was.size <= is.size);
    } else {
      CHECK(was.size == is.size);
    }
  }
}

TEST_CASE("a struct that grows begins with its size") {
  for (std::size_t i = 0; i < layout_0_1_0_count; ++i) {
    const layout_fact& was = layout_0_1_0[i];
    if (was.kind != LAYOUT_GROWS) continue;
    CAPTURE(was.name);
    CHECK(std::string(layout_0_1_0[i + 1].name) == std::string(was.name) + ".struct_size");
    CHECK(layout_0_1_0[i + 1].offset == 0);
  }
}

TEST_CASE("new members are never in the former padding at the end of a struct") {
  std::set<std::string> padded;
  const layout_fact* of = nullptr;
  for (std::size_t i = 0; i < layout_0_1_0_count; ++i) {
    const layout_fact& was = layout_0_1_0[i];
    if (was.kind == LAYOUT_GROWS) of = &was;
    const bool last = i + 1 == layout_0_1_0_count || layout_0_1_0[i + 1].kind != LAYOUT_MEMBER;
    if (of != nullptr && was.kind == LAYOUT_MEMBER && last && struct_of(was.name) == of->name &&
        was.offset + was.size < of->size) {
      padded.insert(of->name);
    }
  }
  CHECK(padded == kPadded);
  CHECK((member_count<laurel_details>() == members_then("laurel_details") ||
         sizeof(laurel_details) > size_then("laurel_details")));
  CHECK((member_count<laurel_connect_config>() == members_then("laurel_connect_config") ||
         sizeof(laurel_connect_config) > size_then("laurel_connect_config")));
}
