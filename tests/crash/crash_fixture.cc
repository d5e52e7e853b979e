#include "crash_fixture.h"

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <unistd.h>
#include <utility>

#include <doctest/doctest.h>

#include "rank_text.h"
#include "store/line_file.h"
#include "transfer/transfer.h"

namespace laurel::crash {

// In memory if possible: the tests make thousands of stores, and faults.h simulates the disk.
// TMPDIR overrides this.
Scratch::Scratch() {
  const std::filesystem::path memory = "/dev/shm";
  const bool in_memory = std::getenv("TMPDIR") == nullptr && ::access(memory.c_str(), W_OK) == 0;
  std::string name =
      ((in_memory ? memory : std::filesystem::temp_directory_path()) / "laurel-crash-XXXXXX")
          .string();
  REQUIRE(::mkdtemp(name.data()) != nullptr);
  root_ = name;
}

Scratch::~Scratch() {
  std::error_code error;
  std::filesystem::remove_all(root_, error);
}

namespace {

// The text after `behind`, up to the next quote, comma or brace.
std::string part_of(std::string_view line, std::string_view behind) {
  const std::size_t begin = line.find(behind);
  if (begin == std::string_view::npos) return "";
  const std::string_view rest = line.substr(begin + behind.size());
  return std::string(rest.substr(0, rest.find_first_of(",\"}")));
}

// The entries of boards that are made from others: an export has only their specs.
void add_derived(Registry& registry, Picture& picture) {
  for (const std::string& name : registry.names()) {
    const Board& board = *registry.get(*registry.find(name));
    if (!is_derived(board.spec())) continue;
    Entries entries;
    board.read(0, board.size(), entries);
    for (const Entry& entry : entries) {
      picture.push_back(fmt::format("{} shows {} {} {} at {}", name, entry.rank, entry.player,
                                    entry.score, entry.at));
    }
  }
}

}  // namespace

Picture picture_of(Registry& registry) {
  const Scratch scratch;
  const std::string file = scratch.path("picture");
  const Status exported = export_registry(registry, file);
  if (!exported) FAIL(exported.refusal().text());
  Picture picture;
  std::string board;
  std::string season;
  LineReader lines(file);
  while (const std::optional<std::string_view> line = lines.next()) {
    if (line->starts_with(R"({"board")")) {
      board = part_of(*line, R"("name":")");
      season.clear();
    } else if (line->starts_with(R"({"season")")) {
      season = part_of(*line, R"("number":)");
    } else if (line->starts_with(R"({"profile")") || line->starts_with(R"({"session")")) {
      board.clear();
      season.clear();
    }
    picture.push_back(fmt::format("{} {} {}", board, season, *line));
  }
  add_derived(registry, picture);
  std::sort(picture.begin(), picture.end());
  return picture;
}

std::string difference(const Picture& found, const Picture& expected) {
  static constexpr std::size_t kShown = 6;
  const auto only_in = [](const Picture& one, const Picture& other, std::string_view words) {
    Picture only;
    std::set_difference(one.begin(), one.end(), other.begin(), other.end(),
                        std::back_inserter(only));
    std::string text;
    for (std::size_t i = 0; i < std::min(kShown, only.size()); ++i) {
      text += fmt::format("\n{} {}", words, only[i].substr(0, 300));
    }
    return text;
  };
  return only_in(found, expected, "invented") + only_in(expected, found, "lost    ");
}

Result<std::unique_ptr<Registry>> open_registry(const Opening& opening) {
  return Registry::open({.path = opening.path,
                         .durability = opening.durability,
                         .clock = std::make_unique<ScriptClock>(opening.now),
                         .log = Log([log = opening.log](Level, std::string_view line) {
                           if (log != nullptr) log->emplace_back(line);
                         }),
                         .secret = HashSecret::fixed(1)});
}

std::unique_ptr<Registry> make_twin(const std::shared_ptr<Time>& now) {
  return std::move(*open_registry({.now = now}));
}

Scene::Scene(std::uint64_t seed, Durability durability_in)
    : now(std::make_shared<Time>(0)),
      durability(durability_in),
      history(seed, History::Pace::steady),
      twin(make_twin(now)) {
  *now = history.time(0);
  const Status opened = reopen();
  if (!opened) FAIL(opened.refusal().text());
}

Status Scene::reopen() {
  if (registry) {
    if (const Status closed = registry->close(); !closed) return closed;
  }
  registry.reset();
  Result<std::unique_ptr<Registry>> opened =
      open_registry({.path = path(), .durability = durability, .now = now, .log = &log});
  if (!opened) return opened.refusal();
  registry = std::move(*opened);
  return Done{};
}

std::string Scene::step() {
  *now = history.time(++number);
  const std::string answer = history.play(*registry, number);
  committed = registry->commit();
  if (was_refused_by_disk(answer)) {
    ++refused;
  } else {
    CHECK(history.play(*twin, number) == answer);
  }
  return answer;
}

void Scene::play(int operations) {
  for (int i = 0; i < operations; ++i) step();
}

int Scene::lines_with(std::string_view words) const {
  return static_cast<int>(std::count_if(log.begin(), log.end(), [&](const std::string& line) {
    return line.find(words) != std::string::npos;
  }));
}

}  // namespace laurel::crash
