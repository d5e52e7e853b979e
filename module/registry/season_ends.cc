#include "registry/season_ends.h"

#include <algorithm>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board_state.h"

namespace laurel {

namespace {

PersistentRows season_end_names(RegistryContext& context) {
  return {Space(*context.store, kCatalogueSpace), kSeasonEndNamesPrefix};
}

// What forgetting one end of a name takes, besides its names.
constexpr std::size_t kEndWriteBytes = 512;

}  // namespace

std::string title_of(std::string_view name, const EndedSeason& ended) {
  return fmt::format("season end \"{}\" of board \"{}\", season {}", escaped(name, 64),
                     escaped(ended.board, 64), ended.season.number);
}

Time season_end_pause(unsigned tries) {
  Time pause = kSeasonEndRetryMin;
  for (unsigned i = 1; i < tries && pause < kSeasonEndRetryMax; ++i) pause *= 2;
  return std::min(pause, kSeasonEndRetryMax);
}

Status check_season_end_name(std::string_view name) {
  if (name.empty()) return Refusal(Code::bad_data, "the name is empty");
  if (name.size() > kSeasonEndNameBytesMax) {
    return Refusal(Code::bad_data, "the name has {} bytes, at most {} are allowed", name.size(),
                   kSeasonEndNameBytesMax);
  }
  if (name.find('\0') != std::string_view::npos) {
    return Refusal(Code::bad_data, "the name has a zero byte");
  }
  return Done{};
}

// ---- names

void SeasonEnds::load() {
  season_end_names(context_).each([this](std::string_view name, std::string_view number) {
    insert_name(name, number_of_sortable(number));
  });
  looked_ = context_.timestamps.last();
}

void SeasonEnds::insert_name(std::string_view name, std::uint64_t number) {
  names_[std::string(name)].number = number;
  last_name_ = std::max(last_name_, number);
}

void SeasonEnds::restore(std::string_view name) {
  if (names_.contains(name)) return;
  const MemoryGuarantee guaranteed;
  insert_name(name, last_name_ + 1);
  season_end_names(context_).put(name, sortable(last_name_));
}

std::vector<std::string> SeasonEnds::names() const {
  std::map<std::uint64_t, std::string> sorted;
  for (const auto& [text, name] : names_) sorted.emplace(name.number, text);
  std::vector<std::string> names;
  for (auto& [number, text] : sorted) names.push_back(std::move(text));
  return names;
}

Result<SeasonEndHandlerId> SeasonEnds::listen(std::string_view name, const void* owner,
                                              SeasonEndHandler handler) {
  if (const Status valid = check_season_end_name(name); !valid) return valid.refusal();
  auto kept = std::make_shared<const SeasonEndHandler>(std::move(handler));
  if (!names_.contains(name)) {
    if (const Status accepted = context_.store->accepts(); !accepted) return accepted.refusal();
    if (!has_room(1)) {
      return Refusal(Code::unavailable, "{} names hear of season ends, the most allowed",
                     kSeasonEndNamesMax);
    }
    // The name hears of no season that ended before.
    const Time now = context_.timestamps.now();
    if (names_.empty()) {  // ticks have not followed the clock
      looked_ = now;
      present_all(now);
    }
    present_due(now);
  }
  const MemoryGuarantee guaranteed;
  restore(name);
  std::vector<Registered>& handlers = names_.find(name)->second.handlers;
  std::erase_if(handlers, [owner](const Registered& each) { return each.owner == owner; });
  handlers.push_back({++last_handler_, owner, std::move(kept)});
  return last_handler_;
}

std::vector<SeasonEnds::Registered>* SeasonEnds::find_handler(SeasonEndHandlerId handler) {
  for (auto& [text, name] : names_) {
    const auto is = [handler](const Registered& each) { return each.id == handler; };
    if (std::ranges::any_of(name.handlers, is)) return &name.handlers;
  }
  return nullptr;
}

void SeasonEnds::stop(SeasonEndHandlerId handler) {
  std::vector<Registered>* const handlers = find_handler(handler);
  if (handlers == nullptr) return;
  if (handlers->back().id == handler) {
    handlers->clear();
  } else {
    end(handler);
  }
}

void SeasonEnds::end(SeasonEndHandlerId handler) {
  std::vector<Registered>* const handlers = find_handler(handler);
  if (handlers == nullptr) return;
  std::erase_if(*handlers, [handler](const Registered& each) { return each.id == handler; });
}

Result<bool> SeasonEnds::forget(std::string_view name) {
  const auto found = names_.find(name);
  if (found == names_.end()) return false;
  if (const Status accepted = context_.store->accepts(); !accepted) return accepted.refusal();
  std::vector<Turn> turns;
  std::size_t bytes = 0;
  for (auto& [key, end] : ends_) {
    if (end.find(name) == nullptr) continue;
    turns.push_back({key, found->first});
    bytes += kEndWriteBytes;
    for (const Hearer& hearer : end.hearers) bytes += 4 * hearer.name->first.size();
  }
  const MemoryGuarantee guaranteed(bytes);
  season_end_names(context_).erase(name);
  for (const Turn& turn : turns) heard(turn);
  names_.erase(found);
  return true;
}

void SeasonEnds::close() {
  names_.clear();
  ends_.clear();
  stats_.waiting = 0;
}

// ---- ends

SeasonEnds::Hearer* SeasonEnds::End::find(std::string_view name) {
  const auto is = [name](const Hearer& each) { return each.name->first == name; };
  const auto found = std::ranges::find_if(hearers, is);
  return found == hearers.end() ? nullptr : &*found;
}

void SeasonEnds::on_end(Board& board, ArchivedSeason& season) {
  if (names_.empty()) return;
  const Season& ended = season.season();
  board.past_seasons().await_hearing(season, {.id = ids_.of(ended.ended.value_or(ended.started)),
                                              .number = last_number_ + 1,
                                              .names = names()});
  add(board, season);
}

void SeasonEnds::adopt(Board& board) {
  std::vector<std::pair<std::uint64_t, std::string>> unknown;
  BoardState(board).each_archived([&](ArchivedSeason& season) {
    if (!season.end()) return;
    for (const std::string& name : season.end()->names) {
      if (!names_.contains(name)) unknown.emplace_back(season.season().number, name);
    }
    add(board, season);
  });
  for (const auto& [season, name] : unknown) board.past_seasons().note_heard(season, name);
}

void SeasonEnds::add(Board& board, const ArchivedSeason& season) {
  const Key key{board.space(), season.season().number};
  const auto after = ends_.lower_bound(key);
  Time at = season.season().ended.value_or(season.season().started);
  if (after != ends_.begin() && std::prev(after)->first.first == key.first) {
    at = std::max(at, std::prev(after)->second.at);
  }
  const auto added = ends_.emplace_hint(after, key,
                                        End{.board = &board,
                                            .season = key.second,
                                            .at = at,
                                            .number = season.end()->number,
                                            .hearers = {}});
  End& end = added->second;
  last_number_ = std::max(last_number_, end.number);
  const auto oldest = ends_.lower_bound({key.first, 0});
  for (const std::string& text : season.end()->names) {
    const auto name = names_.find(text);
    if (name == names_.end()) continue;
    const auto waits = [&](auto& each) { return each.second.find(text) != nullptr; };
    if (std::none_of(oldest, added, waits)) name->second.ready.insert(end.place());
    end.hearers.push_back({.name = &*name, .tries = 0, .failed_at = 0, .error = {}});
    ++name->second.unheard;
    ++stats_.waiting;
  }
  if (end.hearers.empty()) ends_.erase(added);
}

void SeasonEnds::unlist(End& end, const Hearer& hearer) {
  Name& name = hearer.name->second;
  name.ready.erase(end.place());
  if (hearer.tries > 0) name.resting.erase({retry_at(hearer), end.place()});
  --name.unheard;
  --stats_.waiting;
}

void SeasonEnds::promote(Names::value_type& name, const Key& after) {
  for (auto at = ends_.upper_bound(after); at != ends_.end() && at->first.first == after.first;
       ++at) {
    if (at->second.find(name.first) == nullptr) continue;
    name.second.ready.insert(at->second.place());
    return;
  }
}

void SeasonEnds::remove(Ends::iterator at) {
  const Key key = at->first;
  for (const Hearer& hearer : at->second.hearers) {
    unlist(at->second, hearer);
    promote(*hearer.name, key);
  }
  ends_.erase(at);
}

void SeasonEnds::on_lose(const Board& board, const ArchivedSeason& season) {
  const auto found = ends_.find({board.space(), season.season().number});
  if (found == ends_.end()) return;
  stats_.lost += found->second.hearers.size();
  remove(found);
}

void SeasonEnds::drop(const Board& board) {
  for (auto at = ends_.lower_bound({board.space(), 0});
       at != ends_.end() && at->first.first == board.space();) {
    for (const Hearer& hearer : at->second.hearers) unlist(at->second, hearer);
    at = ends_.erase(at);
  }
}

std::vector<UnheardEnd> SeasonEnds::unheard() const {
  struct Line {
    Place place;
    const Hearer* hearer;
  };
  std::vector<Line> lines;
  for (const auto& [key, end] : ends_) {
    for (const Hearer& hearer : end.hearers) {
      lines.push_back({{end.at, end.number, const_cast<End*>(&end)}, &hearer});
    }
  }
  std::ranges::sort(lines, [](const Line& a, const Line& b) {
    return std::pair(a.place, a.hearer->name->second.number) <
           std::pair(b.place, b.hearer->name->second.number);
  });
  std::vector<UnheardEnd> unheard;
  unheard.reserve(lines.size());
  for (const auto& [place, hearer] : lines) {
    unheard.push_back({.name = hearer->name->first,
                       .board = place.end->board->name(),
                       .season = place.end->season,
                       .tries = hearer->tries,
                       .error = hearer->error});
  }
  return unheard;
}

void SeasonEnds::collect(MetricSet& set) const {
  for (const auto& [name, facts] : names_) {
    set.add(Family::season_ends_pending, {name}, static_cast<double>(facts.unheard));
  }
}

// ---- telling

Time SeasonEnds::retry_at(const Hearer& hearer) {
  return hearer.failed_at + season_end_pause(hearer.tries);
}

void SeasonEnds::present_due(Time now) {
  for (auto due = context_.due.next(); due && due->first <= now; due = context_.due.next()) {
    due->second->present(now);
  }
}

// Failed handlers do not wait for a clock that went back.
void SeasonEnds::rest_again(Names::value_type& name, Time now) {
  std::set<std::pair<Time, Place>> resting;
  for (const auto& [at, place] : name.second.resting) {
    Hearer& hearer = *place.end->find(name.first);
    hearer.failed_at = std::min(hearer.failed_at, now);
    resting.emplace(retry_at(hearer), place);
  }
  name.second.resting = std::move(resting);
}

void SeasonEnds::follow_clock(Time now) {
  if (std::exchange(looked_, now) <= now) return;
  present_all(now);
  for (Names::value_type& name : names_) rest_again(name, now);
}

// After a clock that went back the next reset of each board is the next one after now.
void SeasonEnds::present_all(Time now) {
  for (Board* const board : context_.due.all()) board->present(now);
}

void SeasonEnds::wake(Time now) {
  for (auto& [text, name] : names_) {
    while (!name.resting.empty() && name.resting.begin()->first <= now) {
      name.ready.insert(name.resting.extract(name.resting.begin()).value().second);
    }
  }
}

std::optional<std::pair<SeasonEnds::Place, SeasonEnds::Names::value_type*>> SeasonEnds::next()
    const {
  std::optional<std::pair<Place, Names::value_type*>> next;
  for (const Names::value_type& each : names_) {
    const Name& name = each.second;
    if (name.handlers.empty() || name.ready.empty()) continue;
    const Place& place = *name.ready.begin();
    if (next && std::pair(next->first, next->second->second.number) < std::pair(place, name.number))
      continue;
    next.emplace(place, const_cast<Names::value_type*>(&each));
  }
  return next;
}

bool SeasonEnds::has_work() {
  const Time now = context_.timestamps.now();
  follow_clock(now);
  wake(now);
  const auto due = context_.due.next();
  return unnoted_ || (due && due->first <= now) || next();
}

bool SeasonEnds::tick(TickSlice& slice) {
  if (unnoted_ && !settle()) return false;
  const Time now = looked_;
  bool told = false;
  for (bool first = true;; first = false) {
    const auto turn = next();
    const auto due = context_.due.next();
    const bool is_due = due && due->first <= now && (!turn || due->first < turn->first.at);
    if (!is_due && !(turn && context_.store->accepts())) break;
    if (!first && slice.spent()) {
      slice.put_off();
      break;
    }
    if (is_due) {
      due->second->present(now);
      continue;
    }
    told = true;
    if (!tell(*turn->second, *turn->first.end)) break;
  }
  return told;
}

// Holds the store's writes together while a handler runs, until its end is noted.
class SeasonEnds::Telling {
 public:
  explicit Telling(SeasonEnds& ends) : ends_(ends) {
    ends_.context_.store->hold();
    ends_.telling_ = true;
  }
  ~Telling() {
    ends_.telling_ = false;
    if (!ends_.unnoted_) ends_.context_.store->release();
  }
  Telling(const Telling&) = delete;
  Telling& operator=(const Telling&) = delete;

 private:
  SeasonEnds& ends_;
};

// REQUIRES: a Telling exists.
Hearing SeasonEnds::call(Names::value_type& name, const EndedSeason& ended, std::string& error) {
  const std::string text = name.first;  // the handler may forget the name
  const Registered called = name.second.handlers.back();
  Hearing hearing = (*called.handler)(ended, error);
  if (hearing == Hearing::absent) end(called.id);
  if (hearing == Hearing::returned && !context_.store->held_all()) {
    hearing = Hearing::raised;
    error = "unavailable: it wrote more than one transaction may have";
    context_.log.error("{}: {}", title_of(text, ended), error);
  }
  return hearing;
}

// Returns false if the end was told and could not be noted.
bool SeasonEnds::tell(Names::value_type& name, End& end) {
  const Turn turn{{end.board->space(), end.season}, name.first};
  const ArchivedSeason& season = *end.board->archived(end.season);
  const EndedSeason ended{.id = season.end()->id,
                          .board = end.board->name(),
                          .season = season.season(),
                          .size = season.size()};
  const Telling telling(*this);
  std::string error;
  const Hearing hearing = call(name, ended, error);
  if (hearing == Hearing::absent) return true;
  if (hearing == Hearing::raised) {
    failed(turn, std::move(error));
    return true;
  }
  unnoted_ = turn;
  return settle();
}

Hearing SeasonEnds::tell_remote(std::string_view name, const EndedSeason& ended, std::string& error,
                                const std::function<void()>& note) {
  const auto found = names_.find(name);
  if (found == names_.end() || found->second.handlers.empty()) return Hearing::absent;
  const Telling telling(*this);
  const Hearing hearing = call(*found, ended, error);
  if (hearing == Hearing::returned) note();
  count(hearing);
  return hearing;
}

void SeasonEnds::count(Hearing hearing) {
  if (hearing == Hearing::returned) ++stats_.told;
  if (hearing == Hearing::raised) ++stats_.failed;
}

const std::string* SeasonEnds::next_handled(std::string_view after) const {
  for (auto at = names_.upper_bound(after); at != names_.end(); ++at) {
    if (!at->second.handlers.empty()) return &at->first;
  }
  return nullptr;
}

// Notes that the last end was heard. Without memory for it, a later tick tries again.
bool SeasonEnds::settle() {
  const MemoryGuarantee guaranteed(std::nothrow, MemoryGuarantee::Frees::yes);
  if (!guaranteed.stands()) return false;
  heard(*unnoted_);
  ++stats_.told;
  unnoted_.reset();
  if (!telling_) context_.store->release();
  return true;
}

// The board may have been dropped, and the name forgotten.
void SeasonEnds::heard(const Turn& turn) {
  const auto found = ends_.find(turn.end);
  if (found == ends_.end()) return;
  End& end = found->second;
  Hearer* const hearer = end.find(turn.name);
  if (hearer == nullptr) return;
  Board& board = *end.board;
  Names::value_type& name = *hearer->name;
  unlist(end, *hearer);
  end.hearers.erase(end.hearers.begin() + (hearer - end.hearers.data()));
  promote(name, turn.end);
  if (end.hearers.empty()) ends_.erase(found);
  board.past_seasons().note_heard(turn.end.second, turn.name);
}

void SeasonEnds::failed(const Turn& turn, std::string error) {
  ++stats_.failed;
  const auto found = ends_.find(turn.end);
  Hearer* const hearer = found == ends_.end() ? nullptr : found->second.find(turn.name);
  if (hearer == nullptr) return;
  const Place place = found->second.place();
  ++hearer->tries;
  hearer->failed_at = context_.timestamps.now();
  hearer->error = std::move(error);
  hearer->name->second.ready.erase(place);
  hearer->name->second.resting.emplace(retry_at(*hearer), place);
}

}  // namespace laurel
