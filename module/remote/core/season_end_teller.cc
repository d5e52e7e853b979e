#include "remote/core/season_end_teller.h"

#include <algorithm>
#include <utility>

#include <fmt/core.h>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"

namespace laurel {

namespace {

// The same on all servers, and of no other season: boards of one name differ in their creation.
std::string id_of_end(std::string_view board, Time created, std::uint64_t season) {
  return fmt::format("{:016x}-{:x}-{}", stable_hash(board), created, season);
}

// One row for each board and name; names may be longer than keys.
std::string key_of_note(std::string_view board, std::string_view name) {
  return fmt::format("{:016x}{:016x}", stable_hash(board), stable_hash(name));
}

}  // namespace

// A handler that waits. Destroyed without an answer, it counts as absent.
class SeasonEndTeller::Waiting {
 public:
  explicit Waiting(SeasonEndTeller& teller) : teller_(&teller) {}
  ~Waiting() { answer(Hearing::absent, {}); }
  Waiting(const Waiting&) = delete;
  Waiting& operator=(const Waiting&) = delete;

  void answer(Hearing hearing, std::string error) {
    if (SeasonEndTeller* const teller = std::exchange(teller_, nullptr)) {
      teller->ended(hearing, std::move(error));
    }
  }
  void cancel() { teller_ = nullptr; }

 private:
  SeasonEndTeller* teller_;
};

SeasonEndTeller::SeasonEndTeller(PendingRequests& requests, RemoteBoard& board)
    : requests_(requests),
      board_(board),
      teller_(random_u64() | 1),
      request_(requests, kSeasonEndLookEvery) {}

SeasonEndTeller::~SeasonEndTeller() {
  if (const std::shared_ptr<Waiting> waiting = waiting_.lock()) waiting->cancel();
}

void SeasonEndTeller::tick() {
  if (!board_.is_open() || board_.is_copy()) return;
  if (on_disk_at_) {
    if (is_on_disk()) tell_board();
    return;
  }
  if (!waiting_.expired()) {
    if (requests_.steady() >= renew_at_ && !request_.is_pending()) {
      write(HearingState{hearing_->heard, teller_, now() + kSeasonEndTurn},
            &SeasonEndTeller::renewed);
    }
    return;
  }
  const SeasonEnds& ends = requests_.registry().season_ends();
  if (ends.last_handler() != last_handler_ && !request_.is_pending()) {
    last_handler_ = ends.last_handler();
    look_at({});
  }
  if (!request_.is_due()) return;
  if (!loaded_) load_notes();
  if (name_.empty()) return next_name();
  ask(0, request::ReadHearing{name_}, &SeasonEndTeller::looked);
}

void SeasonEndTeller::ask(std::uint64_t season, Request what, Answered answered) {
  request_.send(board_.remote(), board_.target(season), std::move(what), requests_.deadline(),
                [this, answered](const Result<Value>& value) { (this->*answered)(value); });
}

void SeasonEndTeller::write(std::optional<HearingState> hearing, Answered answered) {
  written_ = hearing;
  ask(0, request::WriteHearing{.name = name_, .expected = hearing_, .hearing = hearing}, answered);
}

// Whether the answer can be used. If not, the name is looked at again later.
bool SeasonEndTeller::went_well(const Result<Value>& value) {
  if (value) {
    request_.succeed();
    return true;
  }
  request_.fail();
  return false;
}

void SeasonEndTeller::look_at(std::string name) {
  name_ = std::move(name);
  request_.wait(0);
}

// Continues with the next name that has a handler. After the last one, names that were forgotten
// here leave the board, and all rest.
void SeasonEndTeller::next_name() {
  const SeasonEnds& ends = requests_.registry().season_ends();
  const std::string* const next = ends.next_handled(name_);
  if (next != nullptr) {
    names_.try_emplace(*next);
    return look_at(*next);
  }
  const auto gone = std::ranges::find_if(
      names_, [&](const auto& each) { return !ends.is_registered(each.first); });
  if (gone != names_.end()) return look_at(gone->first);
  name_.clear();
  Time pause = kSeasonEndLookEvery;
  for (const auto& [text, name] : names_) {
    if (name.tries > 0) pause = std::min(pause, name.rests_until() - now());
  }
  request_.wait(std::max<Time>(pause, 0));
}

void SeasonEndTeller::looked(const Result<Value>& value) {
  if (!went_well(value)) return;
  const SeasonsHeard& heard = std::get<SeasonsHeard>(*value);
  hearing_ = heard.hearing;
  created_ = heard.created;
  const std::uint64_t ended = heard.running - 1;
  if (!requests_.registry().season_ends().is_registered(name_)) {
    if (hearing_) return write(std::nullopt, &SeasonEndTeller::registered);
    names_.erase(name_);
    return next_name();
  }
  if (!hearing_) return write(HearingState{.heard = ended}, &SeasonEndTeller::registered);
  const Season* next = nullptr;
  for (const Season& past : heard.past) {  // newest first
    if (past.number > hearing_->heard) next = &past;
  }
  const auto told = told_.find(name_);
  if (told != told_.end() && next != nullptr && told->second == Told{created_, next->number}) {
    season_ = *next;
    return tell_board();
  }
  erase_note();
  const bool is_anothers =
      hearing_->teller != 0 && hearing_->teller != teller_ && now() < hearing_->until;
  if (is_anothers || hearing_->heard >= ended) return next_name();
  const std::uint64_t first = next != nullptr ? next->number : heard.running;
  if (first > hearing_->heard + 1) {
    const std::uint64_t lost = first - hearing_->heard - 1;
    requests_.registry().log().error(
        "board \"{}\": {} seasons before season {} are not kept: \"{}\" does not hear of their "
        "ends",
        escaped(board_.name(), 64), lost, first, escaped(name_, 64));
    requests_.registry().season_ends().count_lost(lost);
    return write(HearingState{.heard = first - 1}, &SeasonEndTeller::registered);
  }
  season_ = *next;
  const Name& name = names_[name_];
  if (name.failed_season == season_.number && now() < name.rests_until()) return next_name();
  write(HearingState{hearing_->heard, teller_, now() + kSeasonEndTurn},
        &SeasonEndTeller::took_turn);
}

// The name is new to the board, or it left, or seasons were lost.
void SeasonEndTeller::registered(const Result<Value>& value) {
  if (went_well(value)) request_.wait(0);  // looks again
}

void SeasonEndTeller::took_turn(const Result<Value>& value) {
  if (!went_well(value)) return;
  if (!std::get<bool>(*value)) return request_.wait(kSeasonEndRetryMin);
  hearing_ = written_;
  ask(season_.number, request::ReadSeason{}, &SeasonEndTeller::found_season);
}

void SeasonEndTeller::found_season(const Result<Value>& value) {
  if (!went_well(value)) return;
  tell(std::get<SeasonFacts>(*value));
}

void SeasonEndTeller::tell(const SeasonFacts& facts) {
  const auto waiting = std::make_shared<Waiting>(*this);
  EndedSeason ended{.id = id_of_end(board_.name(), created_, season_.number),
                    .board = board_.name(),
                    .season = facts.season,
                    .size = facts.size};
  ended.done = [waiting](Hearing hearing, std::string error) {
    waiting->answer(hearing, std::move(error));
  };
  waiting_ = waiting;
  std::string error;
  SeasonEnds& ends = requests_.registry().season_ends();
  const Hearing hearing = ends.tell_remote(name_, ended, error, [this] { note_told(); });
  if (hearing == Hearing::waits) {
    renew_at_ = requests_.steady() + kSeasonEndTurn / 3;
    return;
  }
  waiting->cancel();
  waiting_.reset();
  this->ended(hearing, std::move(error));
}

// A handler has ended.
void SeasonEndTeller::ended(Hearing hearing, std::string error) {
  SeasonEnds& ends = requests_.registry().season_ends();
  const bool waited = !waiting_.expired();
  waiting_.reset();
  request_.cancel();  // of the turn
  if (waited) ends.count(hearing);
  Name& name = names_[name_];
  if (hearing == Hearing::returned) {
    if (waited) note_told();
    name = Name();
    if (const auto progress = requests_.registry().disk_progress()) {
      on_disk_at_ = progress->commits_begun + 1;
    } else {
      tell_board();
    }
    return;
  }
  if (hearing == Hearing::raised) {
    name.tries = name.failed_season == season_.number ? name.tries + 1 : 1;
    name.failed_season = season_.number;
    name.failed_at = now();
    name.error = std::move(error);
  }
  next_name();
}

bool SeasonEndTeller::is_on_disk() const {
  const auto progress = requests_.registry().disk_progress();
  return !progress || progress->on_disk >= *on_disk_at_;
}

// Without memory for it this server may tell the end again after a crash.
void SeasonEndTeller::note_told() {
  const MemoryGuarantee guaranteed(std::nothrow);
  if (!guaranteed.stands()) return;
  told_[name_] = {created_, season_.number};
  std::string row;
  ByteWriter writer(row, kStoreValueBytesMax);
  writer.u64(static_cast<std::uint64_t>(created_));
  writer.u64(season_.number);
  writer.leb(board_.name().size());
  writer.bytes(board_.name());
  writer.bytes(name_);
  requests_.registry().remote_rows(kToldEndsPrefix).put(key_of_note(board_.name(), name_), row);
}

void SeasonEndTeller::load_notes() {
  loaded_ = true;
  requests_.registry()
      .remote_rows(kToldEndsPrefix)
      .each([this](std::string_view, std::string_view row) {
        ByteReader reader(row);
        Told told;
        told.created = static_cast<Time>(reader.u64());
        told.season = reader.u64();
        const std::string_view board = reader.bytes(reader.leb(kStoreValueBytesMax));
        if (!reader.ok() || board != board_.name()) return;
        told_[std::string(reader.bytes(reader.remaining()))] = told;
      });
}

void SeasonEndTeller::erase_note() {
  if (told_.erase(name_) == 0) return;
  requests_.registry().remote_rows(kToldEndsPrefix).erase(key_of_note(board_.name(), name_));
}

// The name has heard of the season, and this server knows it for good.
void SeasonEndTeller::tell_board() {
  on_disk_at_.reset();
  write(HearingState{.heard = season_.number}, &SeasonEndTeller::wrote_heard);
}

void SeasonEndTeller::wrote_heard(const Result<Value>& value) {
  if (!went_well(value)) return;
  if (std::get<bool>(*value)) {
    hearing_ = written_;
    erase_note();
  }
  request_.wait(0);  // looks for the next end
}

void SeasonEndTeller::renewed(const Result<Value>& value) {
  renew_at_ = requests_.steady() + kSeasonEndTurn / 3;
  if (value && std::get<bool>(*value)) hearing_ = written_;
}

void SeasonEndTeller::append_unheard(std::vector<UnheardEnd>& unheard) const {
  for (const auto& [name, known] : names_) {
    if (!is_unheard(name, known)) continue;
    unheard.push_back({.name = name,
                       .board = board_.name(),
                       .season = is_told(name) ? season_.number : known.failed_season,
                       .tries = known.tries,
                       .error = known.error});
  }
}

void SeasonEndTeller::collect(MetricSet& set) const {
  for (const auto& [name, known] : names_) {
    if (is_unheard(name, known)) set.add(Family::season_ends_pending, {name}, 1);
  }
}

}  // namespace laurel
