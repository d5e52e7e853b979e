#include "board/past_seasons.h"

#include <algorithm>
#include <map>
#include <utility>

#include "base/bytes.h"
#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/text.h"
#include "board/board_codec.h"

namespace laurel {

PersistentRows PastSeasons::rows(char letter) const {
  return {Space(*context_.store, space_), letter};
}

PastSeasons::~PastSeasons() { std::erase(context_.to_copy, &board_); }

// ---- which are kept

Status PastSeasons::load(const MakeEngine& make, const Engine::LoadProgress& progress) {
  std::vector<SeasonForm> past;  // oldest first, as their keys sort
  Status status = Done{};
  rows(kSeasonLetter).each([&](std::string_view, std::string_view form) {
    Result<SeasonForm> season = unpack_season(form);
    if (season) {
      past.push_back(std::move(*season));
    } else {
      status = season.refusal();
    }
  });
  if (!status) return status;
  for (const SeasonForm& form : past) {
    auto engine = make(form.spec, form.engine, form.season.ended.value_or(form.season.started));
    engine->load(progress);
    seasons_.insert(seasons_.begin(),
                    std::make_unique<ArchivedSeason>(context_.players, form.season,
                                                     context_.specs.get(form.spec),
                                                     std::move(engine), form.engine));
  }
  if (Status ends = load_ends(); !ends) return ends;
  load_copies();
  return Done{};
}

ArchivedSeason& PastSeasons::add(std::unique_ptr<ArchivedSeason> season) {
  ArchivedSeason& added = **seasons_.insert(seasons_.begin(), std::move(season));
  save(added);
  wait_for_copy(added, "");
  return added;
}

void PastSeasons::save(const ArchivedSeason& season) const {
  if (!context_.store->is_durable()) return;
  const SeasonForm form{season.season(), season.spec(), season.engine_space()};
  rows(kSeasonLetter).put(sortable(form.season.number), pack_season(form));
}

// Drops the oldest first. A season that is awaited stays, unless too many are.
void PastSeasons::trim() {
  const std::size_t archive = spec_->archive;
  for (std::size_t i = seasons_.size(); i > archive; --i) {
    if (!seasons_[i - 1]->is_awaited()) drop(i - 1);
  }
  while (!seasons_.empty() && seasons_.size() > archive + awaited_max()) lose_oldest();
}

// How many seasons may be kept beyond `archive` for what the oldest one waits for.
std::size_t PastSeasons::awaited_max() const {
  return seasons_.back()->end() ? kSeasonEndsWaitingMax : kCopiesWaitingMax;
}

void PastSeasons::lose_oldest() {
  const ArchivedSeason& oldest = *seasons_.back();
  const std::string name = escaped(name_, 64);
  if (oldest.to_copy()) {
    context_.log.error(
        "board \"{}\": season {} is dropped before it was archived: {} seasons wait for the "
        "archive",
        name, oldest.season().number, kCopiesWaitingMax);
  }
  if (oldest.end()) {
    context_.log.error(
        "board \"{}\": season {} is dropped before \"{}\" was told of its end: {} seasons wait",
        name, oldest.season().number, escaped(oldest.end()->names.front(), 64),
        kSeasonEndsWaitingMax);
    if (context_.season_ends != nullptr) context_.season_ends->on_lose(board_, oldest);
  }
  drop(seasons_.size() - 1);
}

void PastSeasons::drop(std::size_t index) {
  const auto season = seasons_.begin() + static_cast<std::ptrdiff_t>(index);
  const std::string key = sortable((*season)->season().number);
  rows(kSeasonLetter).erase(key);
  rows(kCopyLetter).erase(key);
  if ((*season)->end()) rows(kEndLetter).erase(key);
  context_.reclaimer.take((*season)->take_engine());
  seasons_.erase(season);
}

void PastSeasons::dismantle() {
  for (const auto& season : seasons_) context_.reclaimer.take(season->take_engine());
  seasons_.clear();
  std::erase(context_.to_copy, &board_);
}

ArchivedSeason* PastSeasons::find(std::uint64_t number) const {
  for (const auto& season : seasons_) {
    if (season->season().number == number) return season.get();
  }
  return nullptr;
}

std::size_t PastSeasons::bytes() const {
  std::size_t bytes = 0;
  for (const auto& season : seasons_) bytes += season->bytes();
  return bytes;
}

// ---- players

std::size_t PastSeasons::entries_of(std::string_view id) const {
  const Player player{id, context_.players.find(id)};
  return static_cast<std::size_t>(std::ranges::count_if(seasons_, [&](const auto& season) {
    return std::as_const(*season).engine().pack(player).has_value();
  }));
}

std::size_t PastSeasons::forget(std::string_view id) {
  std::size_t entries = 0;
  for (const auto& season : seasons_) {
    if (!season->erase({id, context_.players.find(id)})) continue;
    ++entries;
    restart_copy(*season);
  }
  return entries;
}

void PastSeasons::rename(std::string_view from, std::string_view to) {
  for (const auto& season : seasons_) {
    if (season->rename(from, to)) restart_copy(*season);
  }
}

// ---- copies

void PastSeasons::wait_for_copy(ArchivedSeason& season, std::string_view place) {
  if (!context_.copies_seasons) return;
  season.set_to_copy(std::string(place));
  const std::string key = sortable(season.season().number);
  if (place.empty()) {
    rows(kCopyLetter).erase(key);
  } else {
    rows(kCopyLetter).put(key, place);
  }
  std::vector<Board*>& boards = context_.to_copy;
  if (std::ranges::find(boards, &board_) == boards.end()) boards.push_back(&board_);
}

// Rows were removed, and places may have changed: the copy starts again.
void PastSeasons::restart_copy(ArchivedSeason& season) {
  if (season.to_copy()) {
    wait_for_copy(season, "");
  } else if (!context_.copies_seasons) {
    rows(kCopyLetter).erase(sortable(season.season().number));
  }
}

void PastSeasons::load_copies() {
  if (!context_.copies_seasons) return;
  std::map<std::uint64_t, std::string> places;
  rows(kCopyLetter).each([&](std::string_view season, std::string_view place) {
    places.emplace(number_of_sortable(season), place);
  });
  for (const auto& season : seasons_) {
    const auto found = places.find(season->season().number);
    if (found == places.end()) {
      wait_for_copy(*season, "");
    } else if (!found->second.empty()) {
      wait_for_copy(*season, found->second);
    }
  }
}

const ArchivedSeason* PastSeasons::next_to_copy() const {
  for (auto season = seasons_.rbegin(); season != seasons_.rend(); ++season) {
    if ((*season)->to_copy()) return season->get();
  }
  return nullptr;
}

const ArchivedSeason* PastSeasons::in_copy_with(std::string_view id) const {
  const Player player{id, context_.players.find(id)};
  const auto found = std::ranges::find_if(seasons_, [&](const auto& season) {
    return season->to_copy() && !is_derived(season->spec()) &&  // has other names than players
           std::as_const(*season).engine().pack(player);
  });
  return found == seasons_.end() ? nullptr : found->get();
}

bool PastSeasons::note_copied(std::uint64_t number, std::uint64_t version, std::string_view to) {
  ArchivedSeason* const season = find(number);
  if (season == nullptr || season->copy_version() != version) return false;
  const MemoryGuarantee guaranteed;
  wait_for_copy(*season, to);
  return true;
}

void PastSeasons::end_copy(std::uint64_t number) {
  const MemoryGuarantee guaranteed;
  ArchivedSeason* const season = find(number);
  if (season != nullptr && season->to_copy()) {
    season->set_to_copy(std::nullopt);
    rows(kCopyLetter).put(sortable(number), "");
    trim();
  }
  if (next_to_copy() == nullptr) std::erase(context_.to_copy, &board_);
}

// ---- ends

void PastSeasons::await_hearing(ArchivedSeason& season, SeasonEnd end) {
  season.set_end(std::move(end));
  save_end(season);
}

void PastSeasons::note_heard(std::uint64_t number, std::string_view name) {
  const MemoryGuarantee guaranteed;
  ArchivedSeason* const season = find(number);
  if (season == nullptr || !season->end()) return;
  SeasonEnd end = *season->end();
  if (std::erase(end.names, name) == 0) return;
  if (end.names.empty()) {
    season->set_end(std::nullopt);
  } else {
    season->set_end(std::move(end));
  }
  save_end(*season);
  trim();
}

void PastSeasons::save_end(const ArchivedSeason& season) const {
  const PersistentRows ends = rows(kEndLetter);
  const std::string key = sortable(season.season().number);
  if (season.end()) {
    ends.put(key, pack_season_end(*season.end()));
  } else {
    ends.erase(key);
  }
}

Status PastSeasons::load_ends() {
  Status status = Done{};
  rows(kEndLetter).each([&](std::string_view key, std::string_view form) {
    ArchivedSeason* const season = find(number_of_sortable(key));
    if (season == nullptr) return;  // dropped by a version that knows no ends
    Result<SeasonEnd> end = unpack_season_end(form);
    if (end) {
      season->set_end(std::move(*end));
    } else {
      status = end.refusal();
    }
  });
  return status;
}

}  // namespace laurel
