// host_fixture.h - a host for tests of the C interface: a clock set by the test and a captured log.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "folder.h"
#include "laurel/laurel.h"

namespace laurel::test {

inline const laurel_api& api() {
  const laurel_api* table = laurel_entry(LAUREL_ABI_VERSION);
  REQUIRE(table != nullptr);
  return *table;
}

inline laurel_config default_config() {
  laurel_config config{};
  config.struct_size = sizeof config;
  return config;
}

inline laurel_boards* opened(const laurel_config& config) {
  laurel_error error{};
  laurel_boards* const boards = api().open(&config, &error);
  INFO(error.text);
  REQUIRE(boards != nullptr);
  return boards;
}

// "1 bob 9850, 2 alice 8420"
inline std::string table(const laurel_board_entry* entries, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    text +=
        fmt::format("{}{} {} {}", i == 0 ? "" : ", ", entries[i].rank,
                    std::string_view(entries[i].player, entries[i].player_size), entries[i].score);
  }
  return text;
}

// A host with a clock set by the test and a captured log.
struct Host {
  explicit Host(const char* rules = nullptr, const char* path = nullptr) {
    laurel_config config = default_config();
    config.context = this;
    config.now = [](void* context) { return static_cast<Host*>(context)->now; };
    config.log = [](void* context, int, const char* line) {
      static_cast<Host*>(context)->log.emplace_back(line);
    };
    config.rules = rules;
    config.path = path;
    boards = opened(config);
  }
  ~Host() { api().close(boards); }
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  laurel_board board(const char* name, const laurel_spec* spec = nullptr) {
    laurel_board handle{};
    REQUIRE(api().board(boards, name, spec, &handle, &error) == LAUREL_OK);
    return handle;
  }
  laurel_board board(const char* name, const std::vector<laurel_field>& fields) {
    laurel_spec spec{};
    spec.struct_size = sizeof spec;
    spec.fields = fields.data();
    spec.field_count = fields.size();
    return board(name, &spec);
  }
  laurel_code submit(laurel_board handle, const char* player, double score) {
    return api().submit(boards, handle, player, score, nullptr, nullptr, &error);
  }
  std::string logged() const {
    std::string lines;
    for (const std::string& line : log) lines += line + "\n";
    return lines;
  }

  int64_t now = 1'000'000'000'000;
  std::vector<std::string> log;
  laurel_error error{};
  laurel_boards* boards = nullptr;
};

// Whether all functions of a table of functions are set.
template <typename Table>
bool is_complete(const Table& table) {
  const auto* places = reinterpret_cast<void* const*>(&table);
  const std::size_t count = sizeof table / sizeof *places;
  return table.struct_size == sizeof table && std::count(places + 1, places + count, nullptr) == 0;
}

// Collects counters into a map.
inline void count_into(void* context, const char* name, double value) {
  static_cast<std::map<std::string, double>*>(context)->emplace(name, value);
}

inline laurel_spec empty_spec() {
  laurel_spec spec{};
  spec.struct_size = sizeof spec;
  return spec;
}

}  // namespace laurel::test
