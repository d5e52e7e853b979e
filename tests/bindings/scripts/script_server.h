// script_server.h - a game server for the tests of hosted scripts: a clock that the test advances,
// a folder for scripts, and the events that they emitted.
#pragma once

#include <cmath>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "bindings/scripts/script_host.h"
#include "folder.h"

namespace laurel::test {

class TestClock final : public Clock {
 public:
  Time now() override { return at; }
  Time at = 1'000 * kSecond;
};

inline std::string show(const EventValue& value) {
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  if (const auto* boolean = std::get_if<bool>(&value)) return *boolean ? "true" : "false";
  return std::string(*std::get_if<std::string_view>(&value));
}

// The server's side: a registry, a directory of scripts, and the events that they emitted.
struct Server {
  Folder folder{"scripts"};
  Journal journal;
  TestClock clock;
  std::unique_ptr<Registry> registry;
  std::unique_ptr<ScriptHost> host;
  std::uint64_t instructions = 0;  // per call; 0: no budget
  std::string said;                // events from scripts: "event value value;"
  OnEmit also;                     // called at each event

  Server() {
    RegistryOptions options;
    options.log = journal.log();
    registry = std::make_unique<Registry>(std::move(options));
  }
  explicit Server(const char* text, std::uint64_t instructions_in = 0) : Server() {
    instructions = instructions_in;
    folder.write("game.lua", text);
    start();
  }
  ~Server() { host.reset(); }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void start() {
    ScriptHostOptions options;
    options.directory = folder.path();
    options.log = journal.log();
    options.clock = &clock;
    options.instructions = instructions;
    options.on_emit = [this](std::string_view event, std::span<const EventValue> values) {
      said += event;
      for (const EventValue& value : values) said += fmt::format(" {}", show(value));
      said += ";";
      if (also) also(event, values);
    };
    auto opened = ScriptHost::open(*registry, std::move(options));
    REQUIRE(opened);
    host = std::move(*opened);
  }
  void tick(double seconds = 0.05) {
    clock.at += std::llround(seconds * 1e6);
    host->tick(clock.at);
    registry->tick();
  }
  void edit(std::string_view text, std::string_view name = "game.lua") {
    folder.write(name, text);
    tick(0);
  }
  std::size_t emit(std::string_view event, std::vector<EventValue> values = {}) {
    return host->emit(event, values);
  }
  // The events since the last call.
  std::string heard() { return std::exchange(said, {}); }
};

}  // namespace laurel::test
