// registry_text.h - all that a registry holds, as text, without bringing boards up to date.
#pragma once

#include <string>

#include "registry/registry.h"

namespace laurel::test {

std::string text_of(Registry& registry);

}  // namespace laurel::test
