// Reads a registry from JSON lines. Boards are made outside the registry, profiles and sessions in
// a separate store; the registry takes them only after the last line was read without an error.
#include <algorithm>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "base/text.h"
#include "board/board_state.h"
#include "board/spec/spec_change.h"
#include "board/validate.h"
#include "engine/row_codec.h"
#include "store/line_file.h"
#include "store/memory_store.h"
#include "transfer/json_entry.h"
#include "transfer/json_ids.h"
#include "transfer/json_line.h"
#include "transfer/json_result.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

constexpr std::int64_t kVersion = 1;

Result<Spec> read_spec(const Json& value) {
  if (!value.is_object()) return Refusal(Code::bad_data, "spec is not an object");
  SpecChange change;
  for (const auto& [field, given] : value.items()) {
    const std::optional<std::string> text = text_of(given);
    Status taken = Refusal(Code::bad_data, "field '{}' is not a string, a number, true or false",
                           escaped(field, 64));
    if (text) {
      taken = change.set(field, std::string_view(*text));
    } else if (given.is_number()) {
      taken = change.set(field, given.get<double>());
    } else if (given.is_boolean()) {
      taken = change.set(field, given.get<bool>());
    }
    if (!taken) return taken.refusal();
  }
  return change.create();
}

bool listed(const std::vector<std::string>& names, std::string_view name) {
  return std::ranges::find(names, name) != names.end();
}

class Import {
 public:
  explicit Import(Registry& registry) : registry_(registry) {}
  // Frees boards that the registry did not take.
  ~Import() {
    for (auto& [name, board] : boards_) board->dismantle();
  }
  Import(const Import&) = delete;
  Import& operator=(const Import&) = delete;

  // Reads one line, without changing the registry.
  Status take(std::string_view line) {
    const Json value = Json::parse(line, nullptr, false);
    if (!value.is_object() || value.size() != 1) {
      return Refusal(Code::bad_data, "no JSON object with one member");
    }
    const auto [kind, content] = *value.items().begin();
    if (!begun_) return begin(kind, content);
    if (kind == "banned") return take_player(content, banned_);
    if (kind == "season_ends") return take_season_end_name(content);
    if (kind == "board") return take_board(JsonObject("board", content));
    if (kind == "profile") return take_profile(JsonObject("profile", content));
    if (kind == "session") return take_session(JsonObject("session", content));
    if (!boards_.empty()) return take_of_board(kind, content);
    return Refusal(Code::bad_data, "\"{}\" comes before any board", escaped(kind, 64));
  }

  // Checks the whole file, and the file against the registry.
  Status check() const {
    if (!begun_) return Refusal(Code::bad_data, "the file has no lines");
    if (const Status ended = check_board_ended(); !ended) return ended;
    std::vector<Board*> added;
    for (const auto& [name, board] : boards_) added.push_back(board.get());
    Status status = registry_.check_together(added);
    if (!status) return status;
    profiles_.each([&](const Profile& profile) {
      if (!status) return;
      const bool has_email = profile.email && registry_.profiles().by_email(*profile.email);
      if (registry_.profiles().get(profile.id) || has_email) {
        status = Refusal(Code::taken, "player \"{}\", or their email, has a profile already",
                         escaped(profile.id, 64));
      }
    });
    return status;
  }

  // Writes all of it, also if the disk fails meanwhile: the store keeps what it cannot write yet.
  // REQUIRES: check() succeeded, and the store accepts writes.
  void finish() {
    for (const std::string& player : banned_) registry_.restore_ban(player);
    for (const std::string& name : season_end_names_) registry_.season_ends().restore(name);
    for (auto& [name, board] : boards_) registry_.adopt(std::move(board));
    boards_.clear();
    profiles_.each([this](const Profile& profile) {
      (void)registry_.profiles().restore(profile);  // check() excluded the errors
    });
    sessions_.each([this](const Session& session) {
      (void)registry_.sessions().restore(session);  // take_session() excluded the errors
    });
  }

 private:
  Status begin(std::string_view kind, const Json& content) {
    if (kind != "laurel" || !content.is_number_integer()) {
      return Refusal(Code::bad_data, "the first line is not {{\"laurel\": {}}}", kVersion);
    }
    if (content.get<std::int64_t>() != kVersion) {
      return Refusal(Code::bad_data, "form {} of exports; this version reads form {}",
                     content.get<std::int64_t>(), kVersion);
    }
    begun_ = true;
    return Done{};
  }

  static Status take_player(const Json& content, std::vector<std::string>& players) {
    const std::optional<std::string> player = text_of(content);
    if (!player || !check_player(*player)) return Refusal(Code::bad_data, "a player's id expected");
    players.push_back(*player);
    return Done{};
  }

  // ---- ends of seasons

  Status take_season_end_name(const Json& content) {
    const std::optional<std::string> name = text_of(content);
    if (!name || !check_season_end_name(*name)) {
      return Refusal(Code::bad_data, "a name that hears of season ends expected");
    }
    if (listed(season_end_names_, *name)) {
      return Refusal(Code::bad_data, "the name \"{}\" comes twice", escaped(*name, 64));
    }
    season_end_names_.push_back(*name);
    const std::vector<std::string> here = registry_.season_ends().names();
    const auto is_new = [&here](const std::string& each) { return !listed(here, each); };
    if (registry_.season_ends().has_room(std::ranges::count_if(season_end_names_, is_new))) {
      return Done{};
    }
    return Refusal(Code::unavailable, "at most {} names hear of season ends", kSeasonEndNamesMax);
  }

  // Numbers of an import follow those of the registry, in the same order.
  Result<SeasonEnd> read_end(const Json& value) const {
    JsonObject object("end", value);
    const std::int64_t number = object.integer("number");
    if (number < 0) object.fail("number", "a whole number from 0 on");
    SeasonEnd end{
        .id = object.text("id"),
        .number = registry_.season_ends().last_number() + static_cast<std::uint64_t>(number),
        .names = {}};
    const Json& names = object.member("names");
    if (const Status whole = object.status(); !whole) return whole.refusal();
    if (end.id.empty() || end.id.size() > kSeasonIdBytesMax) {
      return Refusal(Code::bad_data, "end: 'id' takes 1 to {} bytes", kSeasonIdBytesMax);
    }
    if (!names.is_array() || names.empty()) {
      return Refusal(Code::bad_data, "end: 'names' takes an array of names");
    }
    for (const Json& each : names) {
      const std::optional<std::string> name = text_of(each);
      if (!name || !listed(season_end_names_, *name) || listed(end.names, *name)) {
        return Refusal(Code::bad_data, "end: 'names' takes names of season_ends, each once");
      }
      end.names.push_back(*name);
    }
    return end;
  }

  // ---- boards

  Status take_board(JsonObject object) {
    if (const Status ended = check_board_ended(); !ended) return ended;
    const std::string name = object.text("name");
    const Time created = object.integer("created");
    Result<Spec> spec = read_spec(object.member("spec"));
    if (const Status whole = object.status(); !whole) return whole;
    if (!spec) return Refusal(Code::bad_data, "{}", spec.refusal().message());
    if (const Status valid = check_board_name(name); !valid) return valid;
    if (registry_.is_full(boards_.size() + 1)) {
      return Refusal(Code::unavailable, "a registry has at most {} boards", kBoardsMax);
    }
    if (registry_.find(name) || boards_.contains(name)) {
      return Refusal(Code::taken, "a board is called \"{}\" already", escaped(name, 64));
    }
    board_ = boards_.emplace(name, registry_.make_board(name, *spec)).first->second.get();
    BoardState(*board_).set_created(created);
    season_spec_.reset();
    engine_ = nullptr;
    players_.clear();
    return Done{};
  }

  // A board is complete after its running season, which is its last.
  Status check_board_ended() const {
    if (board_ == nullptr || (engine_ != nullptr && !season_spec_)) return Done{};
    return Refusal(Code::bad_data, "board \"{}\" has no running season",
                   escaped(board_->name(), 64));
  }

  Status take_of_board(std::string_view kind, const Json& content) {
    if (kind == "season") return take_season(JsonObject("season", content));
    if (engine_ == nullptr) {
      return Refusal(Code::bad_data, "\"{}\" comes before any season", escaped(kind, 64));
    }
    if (is_derived(board_->spec()) && !(season_spec_ && kind == "entry")) {
      return Refusal(Code::bad_data, "board \"{}\" is made from other boards: it has no \"{}\"",
                     escaped(board_->name(), 64), escaped(kind, 64));
    }
    if (kind == "entry") return take_entry(content);
    if (kind == "hidden") return take_hidden(content);
    if (kind == "attempts") return take_attempts(JsonObject("attempts", content));
    if (kind == "ids") return take_ids(content);
    if (kind == "cohorts") return take_cohorts(content);
    if (kind == "filled") return take_filled(JsonObject("filled", content));
    if (kind == "placed") return take_placed(JsonObject("placed", content));
    if (kind == "mark") return take_mark(JsonObject("mark", content));
    if (kind == "changed") return take_changed(content);
    if (kind == "result") return take_result(content);
    BoardState state(*board_);
    std::vector<std::string> players;
    if (kind != "joined" && kind != "barred" && kind != "pardoned") {
      return Refusal(Code::bad_data, "\"{}\" is not a kind of line", escaped(kind, 64));
    }
    if (const Status taken = take_player(content, players); !taken) return taken;
    if (kind == "joined") state.join(players.front());
    if (kind == "barred") state.ban(players.front());
    if (kind == "pardoned") state.pardon(players.front());
    return Done{};
  }

  Status take_season(JsonObject object) {
    BoardState state(*board_);
    if (engine_ != nullptr && !season_spec_) {
      return Refusal(Code::bad_data, "the running season is the last one");
    }
    Season season{.number = static_cast<std::uint64_t>(object.integer("number")),
                  .started = object.integer("started"),
                  .ended = object.optional_integer("ended")};
    players_.clear();
    if (!season.ended) {
      const bool written = object.truth("written");
      const std::optional<Time> due = object.optional_integer("due");
      if (const Status whole = object.status(); !whole) return whole;
      state.set_season(season, due, written);
      season_spec_.reset();
      engine_ = &state.engine();
      return Done{};
    }
    Result<Spec> spec = read_spec(object.member("spec"));
    if (const Status whole = object.status(); !whole) return whole;
    if (!spec) return Refusal(Code::bad_data, "{}", spec.refusal().message());
    if (is_derived(*spec) && !is_of_groups(*spec)) {
      return Refusal(Code::bad_data, "such a board has no past seasons");
    }
    if (spec->engine != board_->spec().engine) {
      return Refusal(Code::bad_data, "the season's engine is not its board's");
    }
    std::optional<SeasonEnd> end;
    if (object.has("end")) {
      Result<SeasonEnd> read = read_end(object.member("end"));
      if (!read) return read.refusal();
      end = std::move(*read);
    }
    season_spec_ = std::move(*spec);
    engine_ = &state.add_archived(season, *season_spec_, std::move(end));
    return Done{};
  }

  Result<ReadEntry> read_new_entry(const Json& content) {
    Result<ReadEntry> entry = read_entry(season_spec_ ? *season_spec_ : board_->spec(), content);
    if (entry && !players_.insert(entry->player).second) {
      return Refusal(Code::bad_data, "player \"{}\" comes twice", escaped(entry->player, 64));
    }
    return entry;
  }

  Status take_result(const Json& content) {
    const Result<ReadResult> read = read_result(board_->spec(), content);
    if (!read) return read.refusal();
    return BoardState(*board_).add_result(read->player, read->result);
  }

  Status take_entry(const Json& content) {
    const Result<ReadEntry> entry = read_new_entry(content);
    if (!entry) return entry.refusal();
    return BoardState(*board_).put(*engine_, entry->player, entry->packed);
  }

  Status take_hidden(const Json& content) {
    const Result<ReadEntry> entry = read_new_entry(content);
    if (!entry) return entry.refusal();
    BoardState(*board_).hide(entry->player, entry->packed);
    return Done{};
  }

  Status take_attempts(JsonObject object) {
    const std::string player = object.text("player");
    const AttemptCount count{.taken = static_cast<std::uint64_t>(object.integer("taken")),
                             .granted = object.integer("granted")};
    if (const Status whole = object.status(); !whole) return whole;
    if (!check_player(player) || !is_count(count)) {
      return Refusal(Code::bad_data, "attempts: a player's id, and counts within 2^53 expected");
    }
    BoardState(*board_).set_attempts(player, count);
    return Done{};
  }

  // ---- cohorts of the season

  BoardState::OfSeason season() const {
    return season_spec_ ? BoardState::OfSeason::past : BoardState::OfSeason::running;
  }

  Status take_cohorts(const Json& content) {
    if (!content.is_number_unsigned()) {
      return Refusal(Code::bad_data, "the number of cohorts expected");
    }
    return BoardState(*board_).set_cohorts(season(), content.get<std::uint64_t>());
  }

  // The cohort that players with a value fill, or those without one.
  Status take_filled(JsonObject object) {
    const auto cohort = static_cast<std::uint64_t>(object.integer("cohort"));
    const std::string value = object.optional_text("value").value_or("");
    if (const Status whole = object.status(); !whole) return whole;
    if (!value.empty()) {
      if (Status valid = check_attribute_value("", value); !valid) return valid;
    }
    return BoardState(*board_).set_filled(season(), value, cohort);
  }

  Status take_placed(JsonObject object) {
    const std::string player = object.text("player");
    const auto cohort = static_cast<std::uint64_t>(object.integer("cohort"));
    if (const Status whole = object.status(); !whole) return whole;
    if (!check_player(player)) return Refusal(Code::bad_data, "a player's id expected");
    return BoardState(*board_).set_place(season(), player, cohort);
  }

  Status take_mark(JsonObject object) {
    const bool is_empty = object.truth("empty");
    const std::optional<Time> at = object.optional_integer("at");
    const std::optional<Time> due = object.optional_integer("due");
    if (const Status whole = object.status(); !whole) return whole;
    return BoardState(*board_).set_mark(is_empty, at, due);
  }

  // A player without a score was not ranked at the mark.
  Status take_changed(const Json& content) {
    JsonObject object("changed", content);
    if (!object.has("score")) {
      const std::string player = object.text("player");
      if (const Status whole = object.status(); !whole) return whole;
      if (!check_player(player)) return Refusal(Code::bad_data, "a player's id expected");
      return BoardState(*board_).add_changed(player, std::nullopt);
    }
    const Result<ReadEntry> was = read_entry(board_->spec(), content);
    if (!was) return was.refusal();
    const EngineRow row = unpack_row(was->packed);
    return BoardState(*board_).add_changed(was->player, RowKey{row.score, row.at});
  }

  static bool is_count(const AttemptCount& count) {
    constexpr std::int64_t kMax = kScaledMax + 1;
    return count.taken <= std::uint64_t{kMax} && count.granted >= -kMax && count.granted <= kMax;
  }

  Status take_ids(const Json& content) {
    const Result<ReadIds> ids = read_ids(content);
    if (!ids) return ids.refusal();
    for (const AcceptedId& id : ids->accepted) {
      Status taken = BoardState(*board_).accept_id(ids->key, id.hash, id.at);
      if (!taken) return taken;
    }
    return Done{};
  }

  // ---- players and sessions

  static std::optional<std::string_view> view(const std::optional<std::string>& text) {
    return text ? std::optional<std::string_view>(*text) : std::nullopt;
  }

  static Result<std::string> read_attributes(const Json& value) {
    std::string attributes;
    if (!value.is_array()) return Refusal(Code::bad_data, "'attributes' takes an array of pairs");
    for (const Json& pair : value) {
      const bool is_pair = pair.is_array() && pair.size() == 2;
      const std::optional<std::string> name = is_pair ? text_of(pair[0]) : std::nullopt;
      const std::optional<std::string> given = is_pair ? text_of(pair[1]) : std::nullopt;
      if (!name || !given) return Refusal(Code::bad_data, "'attributes' takes pairs of texts");
      AttributeChanges change;
      if (Status valid = change.add(*name, *given); !valid) return valid.refusal();
      Result<std::string> more = changed_attributes(attributes, change.text());
      if (!more) return more.refusal();
      attributes = std::move(*more);
    }
    return attributes;
  }

  Status take_profile(JsonObject object) {
    const std::string id = object.text("id");
    const std::optional<std::string> name = object.optional_text("name");
    const std::optional<std::string> email = object.optional_text("email");
    const Result<std::string> attributes =
        object.has("attributes") ? read_attributes(object.member("attributes")) : std::string();
    if (!attributes) return attributes.refusal();
    const Profile profile{
        .id = id,
        .name = view(name),
        .email = view(email),
        .attributes = *attributes,
        .lifetime_score = object.number("lifetime_score"),
        .games_played = static_cast<std::uint64_t>(object.integer("games_played")),
        .created_at = object.integer("created_at"),
        .updated_at = object.integer("updated_at")};
    if (const Status whole = object.status(); !whole) return whole;
    return profiles_.restore(profile);
  }

  Status take_session(JsonObject object) {
    const std::string id = object.text("id");
    const std::string player = object.text("player");
    const std::string game = object.text("game");
    const std::optional<std::string> data = object.optional_text("data");
    const Session session{.id = id,
                          .player = player,
                          .game = game,
                          .score = object.number("score"),
                          .seconds = object.number("seconds"),
                          .at = object.integer("at"),
                          .data = view(data)};
    if (const Status whole = object.status(); !whole) return whole;
    return sessions_.restore(session);
  }

  Registry& registry_;
  bool begun_ = false;
  std::vector<std::string> banned_;
  std::vector<std::string> season_end_names_;  // in the order of registration
  std::map<std::string, std::unique_ptr<Board>> boards_;
  Board* board_ = nullptr;           // the board of the lines that follow
  std::optional<Spec> season_spec_;  // of a past season; absent: the running season has the board's
  Engine* engine_ = nullptr;         // of the season; null before the first season
  std::set<std::string> players_;    // players with an entry in the season
  std::unique_ptr<Store> store_ = make_memory_store();
  Profiles profiles_{Space(*store_, 1)};
  Sessions sessions_{profiles_};
};

// "bad_data: line 7: ...", whatever the error was. `taken` and `unavailable` stay, because the file
// is not damaged.
Refusal at_line(std::size_t line, const Refusal& refusal) {
  const bool is_sound = refusal.code() == Code::taken || refusal.code() == Code::unavailable;
  return {is_sound ? refusal.code() : Code::bad_data, "line {}: {}", line, refusal.message()};
}

}  // namespace

Status import_registry(Registry& registry, const std::string& file) {
  LineReader in(file);
  Import import(registry);
  while (const std::optional<std::string_view> line = in.next()) {
    if (in.number() % kLinesBetweenLooks == 1) {
      if (Status room = registry.make_room(); !room) return room;
    }
    if (const Status taken = import.take(*line); !taken) {
      return at_line(in.number(), taken.refusal());
    }
  }
  if (const Status read = in.status(); !read) return read;
  if (const Status good = import.check(); !good) return at_line(in.number(), good.refusal());
  if (Status room = registry.make_room(); !room) return room;
  import.finish();
  return Done{};
}

}  // namespace laurel
