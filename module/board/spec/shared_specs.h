// shared_specs.h - the specs of a registry's boards and past seasons: equal ones are one object.
//
//   why      a spec takes 700 bytes, and a game may have ten thousand small boards of one kind.
//   equal    if all fields are (spec_change.h): by a keyed hash of 128 bits.
//   life     a spec stays as long as something has it. The table outlives them all.
//   cost     get(): O(fields + log n) for n different specs.
//   threads  none of its own; one caller at a time, also when a spec goes.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>

#include "base/hash.h"
#include "board/spec/spec.h"

namespace laurel {

using SharedSpec = std::shared_ptr<const Spec>;

class SharedSpecs {
 public:
  explicit SharedSpecs(const HashSecret& secret) : secret_(secret) {}
  SharedSpecs(const SharedSpecs&) = delete;
  SharedSpecs& operator=(const SharedSpecs&) = delete;

  SharedSpec get(const Spec& spec);

  // How many there are that differ.
  std::size_t size() const { return specs_.size(); }
  // Without texts of specs.
  std::size_t bytes() const;

 private:
  struct Key {
    std::uint64_t low;
    std::uint64_t high;
    auto operator<=>(const Key&) const = default;
  };
  Key key_of(const Spec& spec) const;

  HashSecret secret_;
  std::map<Key, std::weak_ptr<const Spec>> specs_;
};

}  // namespace laurel
