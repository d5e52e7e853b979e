// Observers: what a registry reports to them, and their slots.
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "fixture.h"

namespace laurel {
namespace {

// Records its callbacks.
class Listener final : public RegistryObserver {
 public:
  explicit Listener(std::vector<std::string>& heard) : heard_(heard) {}

  void on_attach(Registry&, unsigned slot) override { say(fmt::format("slot {}", slot)); }
  void on_detach(Registry&) override { say("detached"); }
  void on_drop(std::string_view name) override { say(fmt::format("dropped {}", name)); }
  void on_forget(std::string_view player) override { say(fmt::format("forgot {}", player)); }
  void on_rename(std::string_view from, std::string_view to) override {
    say(fmt::format("{} is {}", from, to));
  }
  void on_tick(Registry& registry, TickSlice&) override {
    for (const BoardHandle looked_up : looks_up) registry.get(looked_up);
    std::string changed = "tick";
    for (std::size_t i = 0; i < registry.changed().size(); ++i) {
      changed += " " + registry.changed()[i].name();
    }
    say(changed);
  }

  std::vector<BoardHandle> looks_up;

 private:
  void say(const std::string& what) { heard_.push_back(what); }

  std::vector<std::string>& heard_;
};

struct Stage : Fixture {
  ~Stage() { CHECK(registry->close()); }  // close() still calls the observers

  Registry::ObserverId attach() {
    auto made = std::make_shared<Listener>(heard);
    listener = made.get();
    return registry->attach(std::move(made));
  }
  std::vector<std::string> take() { return std::exchange(heard, {}); }

  std::vector<std::string> heard;
  Listener* listener = nullptr;  // the last one attached
};

using Heard = std::vector<std::string>;

TEST_CASE_FIXTURE(Stage, "each board that changed since the last tick is listed, once") {
  Board& a = board("a");
  Board& b = board("b");
  board("c");
  attach();
  registry->tick();
  take();
  play(*this, a, {{"p", 1}, {"q", 2}, {"p", 3}});
  registry->tick();
  play(*this, b, {{"p", 1}});
  play(*this, a, {{"p", 4}});
  registry->tick();
  registry->tick();
  play(*this, a, {{"p", 5}});
  registry->tick();
  CHECK(take() == Heard{"tick a", "tick b a", "tick", "tick a"});
}

TEST_CASE_FIXTURE(Stage, "a refused submission and one that changes nothing list no board") {
  Board& a = board("a");
  play(*this, a, {{"p", 5}});
  attach();
  registry->tick();
  take();
  CHECK_FALSE(a.submit(WriteMode::submit, {.player = "", .score = 1}));
  CHECK(a.submit(WriteMode::submit, {.player = "p", .score = 4}));
  registry->tick();
  CHECK(take() == Heard{"tick"});
}

TEST_CASE_FIXTURE(Stage, "a dropped board is not listed, and the observer hears of the drop") {
  play(*this, board("a"), {{"p", 1}});
  play(*this, board("b"), {{"p", 1}});
  attach();
  take();
  CHECK(*registry->drop("a"));
  registry->tick();
  CHECK(take() == Heard{"dropped a", "tick b"});
  CHECK_FALSE(*registry->drop("a"));
  CHECK(take().empty());
}

TEST_CASE_FIXTURE(
    Stage, "a reset is listed at the lookup that ends the season, and a new schedule at once") {
  const BoardHandle hourly = open("hourly", {{"reset", "0 * * * *"}});
  play(*this, *registry->get(hourly), {{"p", 1}});
  attach();
  registry->tick();
  take();
  const Time due = registry->get(hourly)->next_change_at();
  CHECK(due > *now);
  CHECK(due <= *now + 3600 * kSecond);
  *now = due;
  registry->tick();  // no lookup has ended the season
  listener->looks_up = {hourly};
  registry->tick();
  CHECK(registry->get(hourly)->next_change_at() == due + 3600 * kSecond);
  listener->looks_up.clear();
  registry->tick();
  CHECK(take() == Heard{"tick", "tick hourly", "tick hourly"});  // listed again at the next tick
  open("hourly", {{"reset", "30 * * * *"}});
  registry->tick();
  CHECK(take() == Heard{"tick hourly"});
}

TEST_CASE_FIXTURE(
    Stage,
    "next_change_at is the end of time for a plain board and in the past for a rolling one") {
  CHECK(board("plain").next_change_at() == std::numeric_limits<Time>::max());
  CHECK(board("rolling", {{"engine", "rolling"}}).next_change_at() < *now);
}

TEST_CASE_FIXTURE(Stage, "an observer gets the lowest free slot and hears of its end") {
  const auto first = attach(), second = attach();
  attach();
  CHECK(take() == Heard{"slot 0", "slot 1", "slot 2"});
  registry->detach(second);
  registry->detach(second);
  attach();
  registry->detach(first);
  attach();
  CHECK(take() == Heard{"detached", "slot 1", "detached", "slot 0"});
  CHECK(*registry->forget("p") == 0);
  CHECK(take() == Heard{"forgot p", "forgot p", "forgot p"});
  CHECK_FALSE(*registry->rename("p", "q"));
  CHECK(take().empty());
  play(*this, board("b"), {{"p", 1}});
  CHECK(*registry->rename("p", "q"));
  CHECK(take() == Heard{"p is q", "p is q", "p is q"});
  CHECK(registry->close());
  CHECK(take() == Heard{"detached", "detached", "detached"});
  CHECK(registry->close());
  CHECK(take().empty());
}

}  // namespace
}  // namespace laurel
