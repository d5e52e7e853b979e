// A host that was compiled with 0.1.0's headers, linked into this program, so that sanitizers check
// what the library reads from its structs.
#include "compatibility/old_host.h"

#include <string>

#include <doctest/doctest.h>

#include "plugin/host_fixture.h"

TEST_CASE("a host that was compiled with 0.1.0's headers works as before") {
  const laurel::test::Folder folder;
  const char* failed = old_host_plays(&laurel::test::api(), folder.c_str());
  CHECK(std::string(failed != nullptr ? failed : "") == "");
}
