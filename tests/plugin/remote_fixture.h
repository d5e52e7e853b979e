// remote_fixture.h - a host with remote boards: the C interface with a fake remote and a clock set
// by the test.
#pragma once

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "../remote/servers.h"
#include "laurel/remote.h"
#include "plugin/host.h"
#include "plugin/host_fixture.h"

namespace laurel::test {

inline const laurel_remote_api& remote() {
  REQUIRE(api().remote != nullptr);
  return *api().remote;
}

// With all members: "1 bob 9850 at 5 'data', ..."
inline std::string shown(const laurel_board_entry* entries, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i) {
    const laurel_board_entry& entry = entries[i];
    text += fmt::format("{}{} at {}", i == 0 ? "" : ", ", table(&entry, 1), entry.at);
    if (entry.data == nullptr) continue;
    text += fmt::format(" '{}'",
                        std::string_view(static_cast<const char*>(entry.data), entry.data_size));
  }
  return text;
}

// The answer to one call, and how often it came. It is the context of that call.
struct Told {
  static void take(void* context, const laurel_answer* answer) {
    auto& told = *static_cast<Told*>(context);
    ++told.times;
    CHECK(answer->struct_size == sizeof *answer);
    told.code = answer->code;
    told.text = answer->text;
    told.changed = answer->changed;
    told.found = answer->found;
    told.score = answer->score;
    told.rank = answer->rank;
    told.exact_rank = answer->exact_rank;
    told.size = answer->size;
    told.number = answer->number;
    told.table = test::table(answer->entries, answer->entry_count);
    told.entries = shown(answer->entries, answer->entry_count);
    told.codes.assign(answer->codes, answer->codes + answer->code_count);
  }

  int times = 0;
  laurel_code code = -1;
  std::string text;
  int32_t changed = 0;
  int32_t found = 0;
  double score = 0;
  uint64_t rank = 0;
  double exact_rank = 0;
  uint64_t size = 0;
  uint64_t number = 0;
  std::string table;    // of the entries
  std::string entries;  // the entries with all members
  std::vector<laurel_code> codes;
};

struct RemoteHost {
  explicit RemoteHost(GameServer::Options options = {},
                      std::shared_ptr<FakeStore> shared = std::make_shared<FakeStore>())
      : store(std::move(shared)),
        server(time, store, std::move(options)),
        fake(*server.remote),
        boards(new laurel_boards(std::move(server.registry))) {}
  ~RemoteHost() { close(); }
  RemoteHost(const RemoteHost&) = delete;
  RemoteHost& operator=(const RemoteHost&) = delete;

  void close() { api().close(std::exchange(boards, nullptr)); }
  void tick(int times = 1, Time step = 1'000) {
    for (; times > 0; --times) {
      api().tick(boards);
      time.pass(step);
    }
  }
  laurel_board board(const char* name, laurel_spec spec = empty_spec()) {
    laurel_board handle{};
    spec.remote = "main";
    REQUIRE_MESSAGE(api().board(boards, name, &spec, &handle, &error) == LAUREL_OK, error.text);
    return handle;
  }
  // Ticks until call(told) is answered.
  template <typename Call>
  Told ask(Call call) {
    Told told;
    REQUIRE_MESSAGE(call(&told) == LAUREL_OK, error.text);
    CHECK(told.times == 0);
    for (int ticks = 0; told.times == 0 && ticks < 100'000; ++ticks) tick();
    REQUIRE(told.times == 1);
    return told;
  }
  Told submit(laurel_board handle, const char* player, double score) {
    return ask([&](Told* told) {
      return remote().submit(boards, handle, player, score, nullptr, Told::take, told, &error);
    });
  }
  Told top(laurel_board handle, size_t n) {
    return ask(
        [&](Told* told) { return remote().top(boards, handle, n, Told::take, told, &error); });
  }

  SharedTime time;
  std::shared_ptr<FakeStore> store;
  GameServer server;  // its registry is the one in `boards`
  FakeRemote& fake;
  laurel_error error{};
  laurel_boards* boards;
};

}  // namespace laurel::test
