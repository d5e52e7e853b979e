#include "registry_text.h"

#include <set>

#include <fmt/core.h>

#include "board/board_state.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/segment_orders.h"
#include "rank_text.h"

namespace laurel::test {

namespace {

std::string shown(const std::optional<std::string_view>& text) {
  return text ? fmt::format("\"{}\"", *text) : "none";
}

void add_entries(const Standings& standings, std::string& text) {
  Entries entries;
  standings.read(0, SIZE_MAX, entries);
  text += fmt::format("  {} entries\n", standings.size());
  for (const Entry& entry : entries) {
    text += fmt::format("  {} {} {} {} {}\n", entry.rank, entry.player, entry.score, entry.at,
                        shown(entry.data));
  }
}

void add_all(std::string_view what, const std::set<std::string>& all, std::string& text) {
  for (const std::string& each : all) text += fmt::format("  {} {}\n", what, each);
}

void add_board(Board& board, std::string& text) {
  const Spec& spec = board.spec();
  text +=
      fmt::format("board {} cap {} archive {} meta {} season {} from {}\n", board.name(), spec.cap,
                  spec.archive, shown(spec.meta), board.season().number, board.season().started);
  if (!spec.segments.empty()) {
    const auto sizes = board.segments("clan");
    for (const SegmentSize& each : *sizes) {
      text += fmt::format("  clan {}\n", each.value);
      add_entries(**board.segment("clan", each.value), text);
    }
  }
  if (!spec.cohorts.empty()) {
    const BoardCohorts& cohorts = **board.cohorts();
    std::set<std::string> places;
    cohorts.each_place([&places](std::string_view player, std::uint32_t cohort) {
      places.insert(fmt::format("  {} {}\n", player, cohort));
    });
    for (const std::string& place : places) text += place;
    cohorts.each_filled([&text](std::string_view value, std::uint32_t cohort) {
      text += fmt::format("  {} is filled by {}\n", cohort, value);
    });
    for (std::uint32_t number = 1; number <= cohorts.size(); ++number) {
      text += fmt::format("  cohort {}\n", number);
      add_entries(cohorts.board(number), text);
    }
  }
  const BoardState state(board);
  state.engine().check();
  add_entries(board, text);
  std::set<std::string> joined;
  std::set<std::string> banned;
  std::set<std::string> pardoned;
  std::set<std::string> hidden;
  state.each_joined([&](std::string_view player) { joined.emplace(player); });
  state.each_banned([&](std::string_view player) { banned.emplace(player); });
  state.each_pardoned([&](std::string_view player) { pardoned.emplace(player); });
  state.each_hidden([&](std::string_view player, std::string_view packed) {
    std::string line = fmt::format("{} ", player);
    for (const char byte : packed) line += fmt::format("{:02x}", static_cast<unsigned char>(byte));
    hidden.insert(line);
  });
  add_all("joined", joined, text);
  add_all("banned", banned, text);
  add_all("pardoned", pardoned, text);
  add_all("hidden", hidden, text);
  state.each_archived([&](ArchivedSeason& season) {
    text += fmt::format("  season {} from {} to {}\n", season.season().number,
                        season.season().started, season.season().ended.value_or(-1));
    season.engine().check();
    add_entries(season, text);
  });
}

}  // namespace

std::string text_of(Registry& registry) {
  std::string text;
  for (const std::string& name : registry.names()) {
    add_board(*registry.peek(*registry.find(name)), text);
  }
  for (const std::string& player : registry.banned()) text += fmt::format("banned {}\n", player);
  registry.profiles().each([&](const Profile& profile) {
    text += fmt::format("player {} {} {} {} {} {} {} {}\n", profile.id, shown(profile.name),
                        shown(profile.email), profile.attributes, profile.lifetime_score,
                        profile.games_played, profile.created_at, profile.updated_at);
  });
  registry.sessions().each([&](const Session& session) {
    text += fmt::format("session {} {} {} {} {} {} {}\n", session.id, session.player, session.game,
                        session.score, session.seconds, session.at, shown(session.data));
  });
  return text;
}

}  // namespace laurel::test
