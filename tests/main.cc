#define DOCTEST_CONFIG_IMPLEMENT  // the half that looks for this by itself comes precompiled
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
