// The C interface's watches: a host is told what changed in a top, and nothing else.
#include "laurel/watch.h"

#include <map>
#include <random>

#include "plugin/remote_fixture.h"

using laurel::test::api;
using laurel::test::empty_spec;
using laurel::test::Host;
using laurel::test::remote;
using laurel::test::RemoteHost;
using laurel::test::table;

namespace {

const laurel_watch_api& watching() {
  REQUIRE(api().watching != nullptr);
  return *api().watching;
}

std::string name(const laurel_board_entry& entry) { return {entry.player, entry.player_size}; }

// What one watch reported. It is the context of that watch.
struct Watcher {
  static void take(void* context, const laurel_watch_event* event) {
    auto& watcher = *static_cast<Watcher*>(context);
    CHECK(event->struct_size == sizeof *event);
    CHECK(event->watch == watcher.watch);
    ++watcher.times;
    watcher.board = event->board;
    watcher.check(*event);
    watcher.top = table(event->top, event->top_count);
    watcher.entered = table(event->entered, event->entered_count);
    watcher.left = table(event->left, event->left_count);
    watcher.moved.clear();
    for (size_t i = 0; i < event->moved_count; ++i) {
      const laurel_moved& each = event->moved[i];
      watcher.moved += fmt::format("{}{} from {} {}", i == 0 ? "" : ", ", table(&each.entry, 1),
                                   each.previous_rank, each.previous);
    }
    if (watcher.then) watcher.then();
  }

  // The differences of the event, applied to the last top, must give the new top.
  void check(const laurel_watch_event& event) {
    for (size_t i = 0; i < event.left_count; ++i) {
      const auto gone = seen.find(name(event.left[i]));
      REQUIRE(gone != seen.end());
      CHECK(gone->second == std::pair(event.left[i].rank, event.left[i].score));
      seen.erase(gone);
    }
    for (size_t i = 0; i < event.moved_count; ++i) {
      const laurel_moved& each = event.moved[i];
      const auto before = seen.find(name(each.entry));
      REQUIRE(before != seen.end());
      CHECK(before->second == std::pair(each.previous_rank, each.previous));
      before->second = {each.entry.rank, each.entry.score};
    }
    for (size_t i = 0; i < event.entered_count; ++i) {
      const laurel_board_entry& entry = event.entered[i];
      CHECK(seen.emplace(name(entry), std::pair(entry.rank, entry.score)).second);
    }
    std::map<std::string, std::pair<uint64_t, double>> now;
    for (size_t i = 0; i < event.top_count; ++i) {
      now.emplace(name(event.top[i]), std::pair(event.top[i].rank, event.top[i].score));
    }
    CHECK(seen == now);
  }

  laurel_watch watch = 0;
  int times = 0;
  std::string board;
  std::string top;
  std::string entered;
  std::string left;
  std::string moved;
  std::function<void()> then;
  std::map<std::string, std::pair<uint64_t, double>> seen;  // the top, from the events alone
};

void begin(laurel_boards* boards, laurel_board board, size_t n, Watcher& watcher) {
  laurel_error error{};
  REQUIRE_MESSAGE(watching().watch(boards, board, n, Watcher::take, &watcher, &watcher.watch,
                                   &error) == LAUREL_OK,
                  error.text);
  CHECK(watcher.watch != 0);
}

std::string refusal(const Host& host, laurel_board board, size_t n, laurel_on_change on_change) {
  laurel_error error{};
  CHECK(watching().watch(host.boards, board, n, on_change, nullptr, nullptr, &error) == error.code);
  return error.text;
}

}  // namespace

TEST_CASE(
    "a watch reports which players entered, left and moved, once a tick and never within a call") {
  Host host;
  const laurel_board board = host.board("season");
  Watcher watcher;
  begin(host.boards, board, 2, watcher);
  host.submit(board, "anna", 10);
  host.submit(board, "bob", 20);
  CHECK(watcher.times == 0);
  api().tick(host.boards);
  CHECK(watcher.times == 1);
  CHECK(watcher.board == "season");
  CHECK(watcher.top == "1 bob 20, 2 anna 10");
  CHECK(watcher.entered == "1 bob 20, 2 anna 10");
  CHECK(watcher.left.empty());

  host.submit(board, "cleo", 15);
  api().tick(host.boards);
  CHECK(watcher.times == 2);
  CHECK(watcher.entered == "2 cleo 15");
  CHECK(watcher.left == "2 anna 10");
  host.submit(board, "cleo", 30);
  api().tick(host.boards);
  CHECK(watcher.moved == "1 cleo 30 from 2 15, 2 bob 20 from 1 20");

  host.submit(board, "anna", 11);  // below the top
  host.submit(board, "bob", 1);    // not better than before
  api().tick(host.boards);
  api().tick(host.boards);
  CHECK(watcher.times == 3);
}

TEST_CASE("a watch reports exactly what changed, for every kind of change") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    Host host;
    laurel_spec spec = empty_spec();
    spec.keep = "latest";
    const laurel_board board = host.board("season", &spec);
    std::vector<Watcher> watchers(3);
    for (std::size_t i = 0; i < watchers.size(); ++i) {
      begin(host.boards, board, 1 + random() % 8, watchers[i]);
    }
    for (int step = 0; step < 300; ++step) {
      const std::string player = fmt::format("p{}", random() % 12);
      switch (random() % 8) {
        case 0: api().remove(host.boards, board, player.c_str()); break;
        case 1: api().ban(host.boards, board, player.c_str(), &host.error); break;
        case 2: api().unban(host.boards, board, player.c_str(), &host.error); break;
        case 3:
          if (random() % 10 == 0) api().reset(host.boards, board, nullptr, &host.error);
          break;
        default: host.submit(board, player.c_str(), static_cast<double>(random() % 9)); break;
      }
      if (random() % 3 == 0) api().tick(host.boards);
    }
    api().tick(host.boards);
    for (const Watcher& watcher : watchers) CHECK(watcher.times > 10);
  }
}

TEST_CASE("a watch that ended is not called, and may end within its own callback") {
  Host host;
  const laurel_board board = host.board("season");
  Watcher once;
  Watcher other;
  Watcher later;
  begin(host.boards, board, 5, other);
  begin(host.boards, board, 5, once);
  begin(host.boards, board, 5, later);
  once.then = [&] {
    watching().unwatch(host.boards, once.watch);
    watching().unwatch(host.boards, once.watch);
    host.submit(board, "bob", 2);
  };
  host.submit(board, "anna", 1);
  api().tick(host.boards);
  CHECK(other.top == "1 anna 1");
  CHECK(later.top == "1 bob 2, 2 anna 1");
  api().tick(host.boards);
  CHECK(later.times == 1);
  CHECK(once.times == 1);
  CHECK(other.top == "1 bob 2, 2 anna 1");
  watching().unwatch(host.boards, other.watch);
  watching().unwatch(host.boards, 0);
  host.submit(board, "cleo", 3);
  api().tick(host.boards);
  CHECK(other.times == 2);
}

TEST_CASE("a watch ends with its board") {
  Host host;
  const laurel_board board = host.board("season");
  Watcher watcher;
  begin(host.boards, board, 5, watcher);
  host.submit(board, "anna", 1);
  CHECK(api().drop(host.boards, "season") == 1);
  const laurel_board again = host.board("season");
  host.submit(again, "bob", 1);
  api().tick(host.boards);
  CHECK(watcher.times == 0);
  watching().unwatch(host.boards, watcher.watch);
}

TEST_CASE("an invalid watch is refused with the reason") {
  Host host;
  const laurel_board board = host.board("season");
  CHECK(refusal(host, board, 0, Watcher::take) == "invalid: n is 0; a watch takes 1 to 1000");
  CHECK(refusal(host, board, 1001, Watcher::take) == "invalid: n is 1001; a watch takes 1 to 1000");
  CHECK(refusal(host, board, 1, nullptr) == "invalid: on_change is null");
  CHECK(refusal(host, {77, 1}, 1, Watcher::take) ==
        "unknown: this board was dropped or never opened");
  std::vector<Watcher> watchers(100'000);
  for (Watcher& watcher : watchers) begin(host.boards, board, 1000, watcher);
  CHECK(refusal(host, board, 1, Watcher::take) ==
        "unavailable: 100000 watches are registered, the most allowed");
  watching().unwatch(host.boards, watchers[7].watch);
  CHECK(refusal(host, board, 1, Watcher::take).empty());
}

TEST_CASE("a remote board is watched like a local one, whichever server changes it") {
  RemoteHost host;
  laurel::GameServer other(host.time, host.store);
  const laurel_board world = host.board("world");
  const laurel_board here = [&] {
    laurel_board handle{};
    REQUIRE(api().board(host.boards, "here", nullptr, &handle, &host.error) == LAUREL_OK);
    return handle;
  }();
  Watcher watcher;
  Watcher local;
  begin(host.boards, world, 2, watcher);
  begin(host.boards, here, 2, local);
  CHECK(watcher.watch != local.watch);
  host.tick(10);
  CHECK(watcher.times == 0);  // its first read is not a change
  CHECK(host.submit(world, "anna", 10).code == LAUREL_OK);
  REQUIRE(other.submit(other.open("world"), "bob", 20));
  host.tick(10);
  CHECK(watcher.top == "1 bob 20, 2 anna 10");
  CHECK(local.times == 0);
  watching().unwatch(host.boards, local.watch);
  CHECK(host.submit(world, "anna", 30).code == LAUREL_OK);
  host.tick(10);
  CHECK(watcher.moved == "1 anna 30 from 2 10, 2 bob 20 from 1 20");
  watching().unwatch(host.boards, watcher.watch);
  const int times = watcher.times;
  CHECK(host.submit(world, "bob", 99).code == LAUREL_OK);
  host.tick(10);
  CHECK(watcher.times == times);
  CHECK_FALSE(host.fake.follows("world"));
}
