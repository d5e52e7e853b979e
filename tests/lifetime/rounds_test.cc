// Hosts load laurel.so, use all of it and close it repeatedly: Lua states, and a host in C.
#include <chrono>
#include <cstdlib>
#include <dlfcn.h>
#include <filesystem>
#include <laurel/laurel.h>
#include <string>

#include <doctest/doctest.h>

#include "folder.h"
#include "lifetime/host_state.h"
#include "lifetime/left_behind.h"

using laurel::test::Folder;
using laurel::test::Held;
using laurel::test::HostState;

namespace {

#if defined(__SANITIZE_THREAD__)
constexpr int kRounds = 40;  // slower still
#elif defined(LAUREL_SANITIZED)
constexpr int kRounds = 150;  // about twenty times slower; the leak checker finds any leak
#else
constexpr int kRounds = 1000;
#endif
constexpr int kWarmUp = kRounds / 5;  // until allocators have filled their caches

// Opens and uses everything: a board in memory and one on disk, a rule, a watch, a server and its
// client. `ENDING` names what is closed; the rest is left to the end of the state.
const char* const kPlay = R"(
  local laurel = require "laurel"
  ROUND = tonumber(ROUND)
  memory = laurel.open { log = function() end, clock = os.time }
  scores = memory:board("scores", {})
  for i = 1, 100 do scores:submit("p" .. i, i) end
  step = scores:each()
  step()

  boards = laurel.open { path = FOLDER .. "/boards", rules = FOLDER .. "/rules", log = function() end }
  race = boards:board("race", { rule = "limit", keep = "latest" })
  local seen, top
  stop = race:watch(3, function(change) seen = change.top end)
  for i = 1, 20 do assert(race:submit("p" .. i, ROUND + i)) end
  assert(not race:submit("cheat", 1e7))
  live = assert(boards:serve { port = 0, rate = 1000 })
  live:publish(race, { top = 10 })
  client = laurel.connect { port = live:port() }
  client:subscribe("race", 3, function(entries) top = entries end)
  local deadline = os.time() + 20
  while not (seen and top) do
    boards:tick()
    memory:tick()
    client:tick()
    assert(os.time() < deadline, "nothing was shown")
  end
  assert(top[1].score == ROUND + 20 and seen[1].score == ROUND + 20)

  if ENDING == "all" then stop() client:close() end
  if ENDING == "all" or ENDING == "boards" then assert(boards:close()) memory:close() end
  if ENDING == "client" then client:close() end
  if ENDING == "live" then live:close() end
  return "played")";

void play_in_lua(const Folder& folder, int round) {
  // A server that closes before a client in the same process waits for the answer to its bye, a
  // third of a second each time. It is therefore done rarely.
  const char* const endings[] = {"all", "nothing", "client"};
  const char* ending = endings[round % 3];
  if (round % 20 == 0) ending = round % 40 == 0 ? "boards" : "live";
  HostState host;
  host.set("FOLDER", folder.path());
  host.set("ENDING", ending);
  host.set("ROUND", std::to_string(round));
  CAPTURE(round);
  REQUIRE(host.text(kPlay) == "played");
}

void take_no_line(void* /*context*/, int /*level*/, const char* /*line*/) {}

void note_size(void* context, const char* /*board*/, const laurel_top_entry* /*entries*/,
               size_t count, uint64_t /*size*/, uint64_t /*version*/, const char* /*refusal*/) {
  *static_cast<std::size_t*>(context) = count;
}

// A host in C with a gameplay script. Every other round closes only the boards, which ends
// everything except the client.
void play_in_c(const Folder& folder, int round) {
  CAPTURE(round);
  void* library = dlopen(LAUREL_LIBRARY, RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library != nullptr);
  using Entry = const laurel_api* (*)(std::uint32_t);
  const auto entry = reinterpret_cast<Entry>(dlsym(library, "laurel_entry"));
  REQUIRE((entry != nullptr));
  const laurel_api& laurel = *entry(LAUREL_ABI_VERSION);

  const std::string path = folder / "boards";
  const std::string rules = folder / "rules";
  const std::string directory = folder / "scripts";
  laurel_config config{};
  config.struct_size = sizeof config;
  config.log = take_no_line;
  config.rules = rules.c_str();
  config.path = path.c_str();
  laurel_error error{};
  laurel_boards* boards = laurel.open(&config, &error);
  REQUIRE_MESSAGE(boards != nullptr, error.text);
  laurel_spec spec{};
  spec.struct_size = sizeof spec;
  spec.rule = "limit";
  spec.keep = "latest";
  laurel_board race{};
  REQUIRE(laurel.board(boards, "race", &spec, &race, &error) == LAUREL_OK);
  laurel_scripts_config scripted{};
  scripted.struct_size = sizeof scripted;
  scripted.directory = directory.c_str();
  laurel_scripts* scripts = laurel.host_scripts(boards, &scripted, &error);
  REQUIRE_MESSAGE(scripts != nullptr, error.text);
  laurel_serve_config served{};
  served.struct_size = sizeof served;
  served.rate = 1000;
  laurel_live* live = laurel.serve(boards, &served, &error);
  REQUIRE_MESSAGE(live != nullptr, error.text);
  REQUIRE(laurel.publish(live, race, 10, 0, &error) == LAUREL_OK);
  laurel_connect_config connected{};
  connected.struct_size = sizeof connected;
  connected.port = laurel.live_port(live);
  laurel_client* client = laurel.connect(&connected, &error);
  REQUIRE_MESSAGE(client != nullptr, error.text);
  std::size_t shown = 0;
  REQUIRE(laurel.subscribe(client, "race", 5, note_size, &shown, &error) == LAUREL_OK);
  REQUIRE(laurel.submit(boards, race, "one", round, nullptr, nullptr, &error) == LAUREL_OK);
  REQUIRE(laurel.emit(scripts, "goal", nullptr, 0) == 1);  // its handler makes another submission
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (shown < 2) {
    laurel.tick(boards);
    laurel.client_tick(client);
    if (std::chrono::steady_clock::now() > end) FAIL("nothing was shown");
  }
  if (round % 2 == 0) {
    laurel.client_close(client);
    laurel.scripts_close(scripts);
    laurel.live_close(live);
    laurel.close(boards);
  } else {
    laurel.client_close(client);
    laurel.close(boards);
  }
  dlclose(library);
}

// Plays until allocators and caches are filled, then kRounds rounds. After that the process must
// hold what it held before, and the directory the same files.
template <class Play>
void leaves_nothing(Play play) {
  const Folder folder;
  std::filesystem::create_directory(folder / "rules");
  std::filesystem::create_directory(folder / "scripts");
  folder.write("rules/limit.lua", "return { accept = function(s) return s.score < 1e6 end }");
  folder.write("scripts/goals.lua", R"(
    laurel.every(0.001, function() laurel.state.beats = (laurel.state.beats or 0) + 1 end)
    boards:board("race"):watch(3, function() end)
    laurel.on("goal", function() boards:board("race"):submit("other", 7) end))");
  int round = 0;
  while (round < kWarmUp) play(folder, round++);
  const Held before = laurel::test::held();
  const std::string files = laurel::test::names_in(folder / "boards");
  const auto file_bytes = std::filesystem::file_size(folder / "boards/laurel.mdb");
  while (round < kWarmUp + kRounds) play(folder, round++);

  const Held after = laurel::test::held();
  CHECK(after.threads == before.threads);
  CHECK(after.files == before.files);
  CHECK(laurel::test::names_in(folder / "boards") == files);
  // LMDB may take a few pages more; a leak in each round would be a page each.
  CHECK(std::filesystem::file_size(folder / "boards/laurel.mdb") <= file_bytes + kRounds * 1024);
#ifndef LAUREL_SANITIZED
  // Memory that malloc does not count, such as that of Lua states, comes in pages.
  CHECK(after.resident_bytes < before.resident_bytes + kRounds * 1024);
  // malloc's per-thread cache counts as allocated, and takes thousands of rounds to fill.
  const char* const tunables = std::getenv("GLIBC_TUNABLES");
  if (tunables == nullptr || std::string(tunables).find("tcache_count=0") == std::string::npos) {
    MESSAGE("bytes are counted with GLIBC_TUNABLES=glibc.malloc.tcache_count=0, as ctest sets it");
    return;
  }
  // The smallest allocation takes 32 bytes: a leak in every twentieth round would be 1.6 bytes a
  // round.
  CHECK(after.heap_bytes < before.heap_bytes + kRounds * 3 / 2);
#endif
}

}  // namespace

TEST_CASE("a thousand Lua states in turn leave no thread, descriptor, file or byte behind") {
  leaves_nothing(play_in_lua);
}

TEST_CASE("a C host that loads the library a thousand times leaves nothing behind") {
  leaves_nothing(play_in_c);
}
