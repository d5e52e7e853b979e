// Live channels and clients of scripts that are replaced.
#include <filesystem>

#include <doctest/doctest.h>

#include "bindings/scripts/script_server.h"

using namespace laurel;
using namespace std::string_view_literals;
using laurel::test::Server;

namespace {

std::size_t entries_of(const char* directory) {
  std::size_t count = 0;
  for ([[maybe_unused]] const auto& entry : std::filesystem::directory_iterator(directory)) ++count;
  return count;
}
std::size_t threads() { return entries_of("/proc/self/task"); }
std::size_t descriptors() { return entries_of("/proc/self/fd"); }

constexpr const char* kServing = R"(
  local board = boards:board('b', {})
  local live = assert(boards:serve { port = 0 })
  live:publish(board, { top = 3 })
  laurel.emit('port', live:port())
)";

// Ticks until the client that game.lua keeps in laurel.state is in the wanted state.
bool reaches(Server& server, const char* event, const std::string& wanted) {
  for (int i = 0; i < 10'000; ++i) {
    server.heard();
    server.emit(event);
    if (server.heard() == wanted) return true;
    server.tick(0.001);
  }
  return false;
}

}  // namespace

TEST_CASE(
    "a live channel and its clients pass to the next version that asks for the same channel") {
  Server server(kServing);
  const std::string port = server.heard();
  const std::size_t running = threads();
  server.edit(fmt::format(R"(
    local client = laurel.connect {{ port = {} }}
    client:subscribe('b', 3, function(top) laurel.state.top = top end)
    laurel.state.client = client
    laurel.on('look', function()
      laurel.state.client:tick()
      laurel.emit(laurel.state.client:state(), laurel.state.top and #laurel.state.top or -1)
    end))",
                          port.substr(5, port.size() - 6)),
              "client.lua");
  CHECK(reaches(server, "look", "connected 0;"));
  for (int i = 0; i < 50; ++i) {
    server.edit(std::string(kServing) + (i % 2 == 0 ? "error('no') -- " : "-- ") +
                std::to_string(i));
    CHECK(server.heard() == port);
  }
  CHECK(threads() == running);
  server.edit(std::string(kServing) + "board:submit('ada', 1)");
  CHECK(reaches(server, "look", "connected 1;"));
}

TEST_CASE("a live channel ends with its version if the next one does not ask for it") {
  Server server;
  server.start();
  const std::size_t quiet = threads();
  const std::size_t open = descriptors();
  server.edit(kServing);
  CHECK(threads() == quiet + 1);
  server.edit("-- without it");
  CHECK(threads() == quiet);
  server.edit(kServing);
  server.folder.remove("game.lua");
  server.tick();
  CHECK(threads() == quiet);
  CHECK(descriptors() == open);
}

TEST_CASE("a version that does not load leaves no live channel behind") {
  Server server("laurel.on('e', function() end)");
  const std::size_t quiet = threads();
  const std::size_t open = descriptors();
  server.edit(std::string(kServing) + "error('no')");
  CHECK(threads() == quiet);
  CHECK(descriptors() == open);
}

TEST_CASE("a channel with other options is a new one, and two with the same options are two") {
  Server server(R"(
    local a, b = boards:serve { port = 0 }, boards:serve { port = 0 }
    laurel.emit('ports', a:port(), b:port()))");
  const std::string ports = server.heard();
  server.edit(R"(
    local a, b, c = boards:serve { port = 0 }, boards:serve { port = 0 }, boards:serve { port = 0, rate = 5 }
    laurel.emit('ports', a:port(), b:port())
    laurel.emit('other', c:port() ~= a:port() and c:port() ~= b:port()))");
  CHECK(server.heard() == ports + "other true;");
  server.edit(
      "local a = boards:serve { port = 0 } a:close() a = boards:serve { port = 0 } "
      "a:close() laurel.emit('closed', tostring(boards:serve { port = 0 }) ~= 'live: closed')");
  CHECK(server.heard() == "closed true;");
}

TEST_CASE("a live channel in laurel.state publishes boards of later versions") {
  Server server("laurel.state.live = boards:serve { port = 0 }");
  server.edit(R"(
    local live = boards:serve { port = 0 }
    laurel.emit('same', live:port() == laurel.state.live:port())
    laurel.emit('published', laurel.state.live:publish(boards:board('b', {}))))");
  CHECK(server.heard() == "same true;published true;");
}

TEST_CASE("clients of old versions leave no socket behind") {
  Server server("laurel.on('e', function() end)");
  const std::size_t open = descriptors();
  for (int i = 0; i < 200; ++i) {
    server.edit(
        fmt::format("local client = laurel.connect {{ port = 1 }} "
                    "laurel.every(0.05, function() client:tick() end) {} -- {}",
                    i % 2 == 0 ? "" : "error('no')", i));
    server.tick();
  }
  CHECK(descriptors() <= open + 1);
  server.edit("-- none");
  CHECK(descriptors() == open);
}

TEST_CASE("a finalizer that fails when clients are collected is logged, and harms nothing else") {
  const char* const text =
      "local client = laurel.connect { port = 1 } "
      "local proxy = newproxy(true) getmetatable(proxy).__gc = function() error('too late') end "
      "laurel.on('e', function() return client, proxy end)";
  Server server(text);
  const std::size_t open = descriptors();
  server.edit("laurel.on('e', function() laurel.emit('new') end)");
  CHECK(server.journal.count("too late (finalizer)") == 1);
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "new;");
  server.edit(std::string(text) + " error('no')");
  CHECK(server.emit("e") == 1);
  CHECK(server.heard() == "new;");
  server.edit("-- nothing");
  CHECK(descriptors() < open);
}

TEST_CASE("an error in a client's callback is logged for its script, with its traceback") {
  Server server(kServing);
  const std::string port = server.heard();
  server.edit(fmt::format("local client = laurel.connect {{ port = {} }}\n"
                          "client:subscribe('b', 3, function(top)\n error('seen') end)\n"
                          "laurel.on('look', function() client:tick() "
                          "laurel.emit(client:state()) end)",
                          port.substr(5, port.size() - 6)),
              "client.lua");
  for (int i = 0; i < 10'000 && server.host->stats().failed == 0; ++i) {
    server.emit("look");
    server.tick(0.001);
  }
  CAPTURE(server.journal.all());
  CHECK(server.host->stats().failed == 1);
  CHECK(server.journal.count("error: scripts/client.lua:3: seen (subscription to \"b\")") == 1);
  CHECK(server.journal.count("error:     scripts/client.lua:4: in function") == 1);
}
