// The public headers compile as C++, loader included.
#define LAUREL_LOADER
#include <laurel/columns.h>
#include <laurel/laurel.h>
#include <laurel/live.h>
#include <laurel/marks.h>
#include <laurel/metrics.h>
#include <laurel/players.h>
#include <laurel/reads.h>
#include <laurel/remote.h>
#include <laurel/results.h>
#include <laurel/seasons.h>
#include <laurel/segments.h>
#include <laurel/watch.h>
#include <string>

#include <doctest/doctest.h>

TEST_CASE("the loader names the file that it cannot load") {
  char why[256] = "";
  CHECK(laurel_load("./no_such_file.so", why, sizeof why) == nullptr);
  CHECK(std::string(why).find("no_such_file") != std::string::npos);
}
