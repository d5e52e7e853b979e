// Writes a registry as JSON lines.
#include <functional>
#include <set>
#include <string>

#include "board/board_state.h"
#include "board/segments/board_cohorts.h"
#include "board/spec/spec_change.h"
#include "store/line_file.h"
#include "transfer/json_entry.h"
#include "transfer/json_ids.h"
#include "transfer/json_line.h"
#include "transfer/json_result.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

class Export {
 public:
  Export(Registry& registry, LineWriter& out, std::optional<std::string_view> only)
      : registry_(registry), out_(out), only_(only) {}

  void run() {
    line("laurel", 1);
    if (!only_) {
      for (const std::string& player : registry_.banned()) line("banned", json_text(player));
    }
    for (const std::string& name : registry_.season_ends().names()) {
      line("season_ends", json_text(name));
    }
    for (const std::string& name : registry_.names()) {
      if (only_ && name != *only_) continue;
      const std::optional<BoardHandle> here = registry_.find(name);
      if (here) board(*registry_.get(*here));  // else it is remote
    }
    if (only_) return;
    registry_.profiles().each([this](const Profile& profile) { line("profile", json(profile)); });
    registry_.sessions().each([this](const Session& session) { line("session", json(session)); });
  }

 private:
  void line(const char* kind, Json value) { out_.write(Json{{kind, std::move(value)}}.dump()); }

  void board(Board& board) {
    const BoardState state(board);
    line("board", {{"name", json_text(board.name())},
                   {"created", board.created()},
                   {"spec", json(board.spec())}});
    state.each_archived([&](ArchivedSeason& past) {
      Json season = json(past.season());
      season["spec"] = json(past.spec());
      if (past.end()) season["end"] = json(*past.end());
      line("season", std::move(season));
      entries("entry", past.spec(), past.engine());
      if (past.cohorts() != nullptr) cohorts(*past.cohorts());
    });
    Json season = json(state.season());
    season["written"] = state.written();
    if (const std::optional<Time> due = board.resets_at()) season["due"] = *due;
    line("season", std::move(season));
    if (is_derived(board.spec())) return;  // what it shows comes from other boards
    entries("entry", board.spec(), state.engine());
    if (state.cohorts() != nullptr) cohorts(*state.cohorts());
    std::set<std::string, std::less<>> hidden;
    state.each_hidden([&](std::string_view player, std::string_view packed) {
      line("hidden", json_entry(board.spec(), player, packed));
      if (only_) hidden.emplace(player);
    });
    state.each_joined([this](std::string_view player) { line("joined", json_text(player)); });
    state.each_banned([&](std::string_view player) {
      line("barred", json_text(player));
      hidden.erase(std::string(player));
    });
    // Without the lines of the registry's bans.
    for (const std::string& player : hidden) line("barred", json_text(player));
    if (!only_) {
      state.each_pardoned([this](std::string_view player) { line("pardoned", json_text(player)); });
    }
    state.each_attempts([this](std::string_view player, const AttemptCount& count) {
      line("attempts",
           {{"player", json_text(player)}, {"taken", count.taken}, {"granted", count.granted}});
    });
    if (state.ids() != nullptr) ids(*state.ids());
    if (state.marks() != nullptr) mark(board.spec(), *state.marks(), state.engine());
    state.each_history([&](std::string_view player, const std::vector<KeptResult>& results) {
      for (const KeptResult& result : results) {
        line("result", json_result(board.spec(), player, result));
      }
    });
  }

  void mark(const Spec& spec, const BoardMarks& marks, const EngineView& order) {
    Json mark{{"empty", marks.kind() == MarkForm::Kind::empty}};
    if (const std::optional<Time> at = marks.time()) mark["at"] = *at;
    if (const std::optional<Time> due = marks.due()) mark["due"] = *due;
    line("mark", std::move(mark));
    marks.each_changed(order, [&](std::string_view player, const auto& was) {
      Json changed{{"player", json_text(player)}};
      if (was) {
        changed["score"] = json_score(spec, was->score);
        changed["at"] = was->at;
      }
      line("changed", std::move(changed));
    });
  }

  void cohorts(const BoardCohorts& cohorts) {
    if (cohorts.size() == 0) return;
    line("cohorts", cohorts.size());
    cohorts.each_filled([this](std::string_view value, std::uint32_t cohort) {
      Json filled{{"cohort", cohort}};
      if (!value.empty()) filled["value"] = json_text(value);
      line("filled", std::move(filled));
    });
    cohorts.each_place([this](std::string_view player, std::uint32_t cohort) {
      line("placed", {{"player", json_text(player)}, {"cohort", cohort}});
    });
  }

  void ids(const AcceptedIds& ids) {
    std::vector<AcceptedId> some;
    ids.each([&](const IdHash& id, Time at) {
      some.push_back({id, at});
      if (some.size() < kIdsPerLine) return;
      line("ids", json_ids(ids.seed(), some));
      some.clear();
    });
    if (!some.empty()) line("ids", json_ids(ids.seed(), some));
  }

  void entries(const char* kind, const Spec& spec, const Engine& engine) {
    engine.each_packed([&](std::string_view player, std::string_view packed) {
      line(kind, json_entry(spec, player, packed));
    });
  }

  static Json json(const Season& season) {
    Json value{{"number", season.number}, {"started", season.started}};
    if (season.ended) value["ended"] = *season.ended;
    return value;
  }

  static Json json(const SeasonEnd& end) {
    Json names = Json::array();
    for (const std::string& name : end.names) names.push_back(json_text(name));
    return {{"id", json_text(end.id)}, {"number", end.number}, {"names", std::move(names)}};
  }

  static Json json(const Spec& spec) {
    Json value = Json::object();
    each_stored_field(spec, [&](std::string_view field, const FieldValue& given) {
      Json& place = value[std::string(field)];
      if (const auto* text = std::get_if<std::string_view>(&given)) {
        place = json_text(*text);
      } else if (const auto* number = std::get_if<double>(&given)) {
        place = *number;
      } else {
        place = std::get<bool>(given);
      }
    });
    return value;
  }

  static Json json(const Profile& profile) {
    Json value{{"id", json_text(profile.id)}};
    if (profile.name) value["name"] = json_text(*profile.name);
    if (profile.email) value["email"] = json_text(*profile.email);
    value["lifetime_score"] = profile.lifetime_score;
    value["games_played"] = profile.games_played;
    value["created_at"] = profile.created_at;
    value["updated_at"] = profile.updated_at;
    Json attributes = Json::array();
    each_attribute(profile.attributes, [&](std::string_view name, std::string_view given) {
      attributes.push_back(Json::array({json_text(name), json_text(given)}));
    });
    if (!attributes.empty()) value["attributes"] = std::move(attributes);
    return value;
  }

  static Json json(const Session& session) {
    Json value{{"id", json_text(session.id)},     {"player", json_text(session.player)},
               {"game", json_text(session.game)}, {"score", session.score},
               {"seconds", session.seconds},      {"at", session.at}};
    if (session.data) value["data"] = json_text(*session.data);
    return value;
  }

  Registry& registry_;
  LineWriter& out_;
  std::optional<std::string_view> only_;
};

}  // namespace

void export_registry(Registry& registry, LineWriter& out, std::optional<std::string_view> only) {
  Export(registry, out, only).run();
}

Status export_registry(Registry& registry, const std::string& file) {
  LineWriter out(file);
  export_registry(registry, out, std::nullopt);
  return out.finish();
}

}  // namespace laurel
