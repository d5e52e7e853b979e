// The C interface's metrics, and its socket for moderators.
#include "laurel/metrics.h"

#include <cstring>
#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "folder.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::default_config;
using laurel::test::Host;
using laurel::test::opened;

namespace {

const laurel_metrics_api& metrics() {
  REQUIRE(api().metrics != nullptr);
  return *api().metrics;
}

}  // namespace

TEST_CASE("a host reads metrics as text, with a zero byte behind it") {
  Host host;
  const laurel_board board = host.board("season");
  REQUIRE(api().submit(host.boards, board, "ada", 10, nullptr, nullptr, &host.error) == LAUREL_OK);
  size_t size = 0;
  const char* const text = metrics().text(host.boards, &size);
  REQUIRE(text != nullptr);
  CHECK(std::strlen(text) == size);
  CHECK(std::string(text).find("\nlaurel_board_players{board=\"season\"} 1\n") !=
        std::string::npos);
  CHECK(metrics().text(host.boards, nullptr) != nullptr);
}

TEST_CASE("a host names a file of metrics, which close writes once more") {
  const laurel::test::Folder folder;
  const std::string file = folder / "laurel.prom";
  laurel_config config = default_config();
  config.metrics = file.c_str();
  laurel_boards* const boards = opened(config);
  api().close(boards);
  CHECK(folder.read("laurel.prom").find("\nlaurel_up 0\n") != std::string::npos);
}

TEST_CASE("a host is refused a file without a directory, and seconds out of range") {
  laurel_config config = default_config();
  config.metrics = "/nowhere at all/laurel.prom";
  laurel_error error{};
  CHECK(api().open(&config, &error) == nullptr);
  CHECK(error.code == LAUREL_UNAVAILABLE);
  config.metrics_seconds = 0.5;
  CHECK(api().open(&config, &error) == nullptr);
  CHECK(error.code == LAUREL_INVALID);
}

TEST_CASE("boards with a path have a socket for moderators, unless the host wants none") {
  const laurel::test::Folder folder;
  const std::string path = folder / "boards";
  laurel_config config = default_config();
  config.path = path.c_str();
  laurel_boards* boards = opened(config);
  CHECK(std::filesystem::is_socket(path + "/laurel.sock"));
  api().tick(boards);
  api().close(boards);
  CHECK(!std::filesystem::exists(path + "/laurel.sock"));
  config.no_control = 1;
  boards = opened(config);
  CHECK(!std::filesystem::exists(path + "/laurel.sock"));
  api().close(boards);
}
