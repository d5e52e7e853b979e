#define DOCTEST_CONFIG_IMPLEMENT  // the precompiled header has the other half
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
