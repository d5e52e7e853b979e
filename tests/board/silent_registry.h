// silent_registry.h - the registry of a random history: without a log, with the time that the
// history sets.
#pragma once

#include <memory>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

#include "fixture.h"
#include "folder.h"
#include "registry/registry.h"

namespace laurel {

// folder: null for a registry in memory
inline std::unique_ptr<Registry> open_silently(const std::shared_ptr<Time>& now,
                                               const test::Folder* folder) {
  RegistryOptions options{.clock = std::make_unique<SharedClock>(now),
                          .log = Log([](Level, std::string_view) {}),
                          .rules = nullptr,
                          .secret = HashSecret::fixed(1)};
  if (folder == nullptr) return std::make_unique<Registry>(std::move(options));
  options.path = folder->path();
  options.durability = Durability::none;
  auto opened = Registry::open(std::move(options));
  if (!opened) FAIL(opened.refusal().text());
  return std::move(*opened);
}

}  // namespace laurel
