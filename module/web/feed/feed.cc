#include "web/feed/feed.h"

#include <algorithm>
#include <iterator>
#include <utility>

#include <fmt/core.h>

#include "base/hash.h"
#include "base/text.h"
#include "board/spec/spec.h"
#include "web/feed/pacer.h"
#include "web/http/json.h"
#include "web/http/limits.h"

namespace laurel::web {

namespace {

void append_member(std::string& json, std::string_view name) {
  fmt::format_to(std::back_inserter(json), ",\"{}\":", name);
}

void append_columns(std::string& json, const ScoreColumns& columns) {
  for (std::size_t i = 0; i < columns.size(); ++i) {
    const ScoreColumn& column = columns[i];
    json += i == 0 ? "[{\"name\":" : ",{\"name\":";
    append_text(json, column.name);
    fmt::format_to(std::back_inserter(json), ",\"order\":\"{}\",\"decimals\":{}",
                   word(column.order), column.decimals);
    append_member(json, "min");
    append_number(json, column.min);
    append_member(json, "max");
    append_number(json, column.max);
    json += '}';
  }
  json += ']';
}

void append_board(std::string& json, const ListedBoard& board) {
  const BoardDescription& about = board.description;
  json += "{\"board\":";
  append_text(json, board.board);
  fmt::format_to(std::back_inserter(json), ",\"order\":\"{}\"", word(about.order));
  if (about.decimals) fmt::format_to(std::back_inserter(json), ",\"decimals\":{}", *about.decimals);
  if (about.columns) {
    append_member(json, "columns");
    append_columns(json, *about.columns);
  }
  fmt::format_to(std::back_inserter(json), ",\"ranking\":\"{}\"", word(about.ranking));
  if (about.meta) {
    append_member(json, "meta");
    append_text(json, *about.meta);
  }
  fmt::format_to(std::back_inserter(json), ",\"size\":{}", board.size);
  if (about.season != 0) fmt::format_to(std::back_inserter(json), ",\"season\":{}", about.season);
  for (const auto& [name, time] :
       {std::pair("resets_at", about.resets_at), std::pair("closes_at", about.closes_at)}) {
    if (!time) continue;
    append_member(json, name);
    append_number(json, seconds_from_time(*time));
  }
  json += '}';
}

}  // namespace

Feed::Feed(Options options, Log log, Pacer& pacer)
    : options_(std::move(options)),
      log_(log),
      pacer_(pacer),
      channel_(options_.channel, std::move(log), *this) {}

void Feed::tick(Time now) {
  now_ = now;
  channel_.tick(now);
  if (any_held_) {
    any_held_ = false;
    for (auto& entry : entries_) {
      if (entry.second.held_until) show(entry);
    }
  }
  if (now - swept_at_ < kSecond) return;
  swept_at_ = now;
  while (end_unused_follow(kFollowLingers)) {
  }
}

bool Feed::is_chosen(std::string_view board) const {
  return options_.boards.empty() || options_.boards.contains(board);
}

Feed::Known Feed::knows(std::string_view board) const {
  const auto found = entries_.find({std::string(board), {}});
  if (found != entries_.end() && found->second.topic->is_here()) return Known::here;
  if (!is_chosen(board)) return Known::unknown;
  if (!channel_.is_up()) return Known::not_yet;
  if (found != entries_.end() && found->second.topic->state()) return Known::unknown;  // it is gone
  const bool may_come = (!has_list_ && !lacks_list_) || boards_.contains(board);
  return may_come ? Known::not_yet : Known::unknown;
}

Topic& Feed::board(std::string_view name) { return *add({std::string(name), {}})->second.topic; }

Result<Topic*> Feed::around(std::string_view board, std::string_view player) {
  const Channel::Subject subject{std::string(board), std::string(player)};
  if (const Status valid = check_player(player); !valid) return valid.refusal();
  if (const auto found = entries_.find(subject); found != entries_.end()) {
    found->second.used_at = now_;
    return found->second.topic.get();
  }
  if (follows() >= kFollowsMax && !end_unused_follow(0)) {
    return Refusal(Code::unavailable, "{} players are followed, the most allowed", kFollowsMax);
  }
  const auto added = add(subject);
  if (!boards_.contains(board) || subscribe(*added)) return added->second.topic.get();
  entries_.erase(added);
  return Refusal(Code::unavailable, "the server allows no more subscriptions");
}

Feed::Entries::iterator Feed::add(const Channel::Subject& subject) {
  const auto [entry, is_new] = entries_.try_emplace(subject);
  if (is_new) {
    Topic::Owner& owner = *this;
    entry->second.topic = std::make_unique<Topic>(subject.board, subject.player, owner, pacer_);
    entry->second.used_at = now_;
  }
  return entry;
}

std::size_t Feed::follows() const {
  return static_cast<std::size_t>(
      std::count_if(entries_.begin(), entries_.end(),
                    [](const auto& entry) { return !entry.first.player.empty(); }));
}

// Ends the follow that is unused for longest, if that is as long as this.
bool Feed::end_unused_follow(Time unused_for) {
  auto oldest = entries_.end();
  for (auto each = entries_.begin(); each != entries_.end(); ++each) {
    if (each->first.player.empty()) continue;
    if (each->second.topic->is_used()) each->second.used_at = now_;
    const bool is_older = oldest == entries_.end() || each->second.used_at < oldest->second.used_at;
    if (!each->second.topic->is_used() && is_older) oldest = each;
  }
  if (oldest == entries_.end() || now_ - oldest->second.used_at < unused_for) return false;
  channel_.unsubscribe(oldest->first);
  entries_.erase(oldest);
  return true;
}

void Feed::listed(const ListedBoardsPtr& boards) {
  list_.reset();
  boards_.clear();
  has_list_ = boards != nullptr;
  lacks_list_ = !has_list_;
  if (has_list_) {
    for (const ListedBoard& board : *boards) {
      if (is_chosen(board.board)) boards_.emplace(board.board, board);
    }
  } else {
    log_.warn("the server speaks version 1 of the protocol, which has no list of boards: {}",
              options_.boards.empty() ? "name them with --boards" : "those of --boards are served");
    for (const std::string& name : options_.boards) boards_[name].board = name;
  }
  serve_listed_boards();
  confirmed();  // seasons may have changed
}

void Feed::serve_listed_boards() {
  std::vector<Entries::value_type*> ended;
  for (auto& entry : entries_) {
    const bool is_listed = boards_.contains(entry.first.board);
    if (!is_listed && entry.second.is_subscribed) ended.push_back(&entry);
  }
  for (Entries::value_type* const entry : ended) unsubscribe(*entry);
  for (const auto& [name, board] : boards_) add({name, {}});
  const std::size_t unserved_before = std::exchange(unserved_, 0);
  for (auto& entry : entries_) {
    const bool is_refused = boards_.contains(entry.first.board) && !subscribe(entry);
    if (is_refused && entry.first.player.empty()) ++unserved_;
  }
  if (unserved_ == 0 || unserved_ == unserved_before) return;
  log_.warn(
      "{} of {} boards are not served: the server allows no more subscriptions. It allows a "
      "gateway's token more",
      unserved_, boards_.size());
}

bool Feed::subscribe(Entries::value_type& entry) {
  auto& [subject, board] = entry;
  if (board.is_subscribed) return true;
  board.is_subscribed = static_cast<bool>(channel_.subscribe(subject));
  return board.is_subscribed;
}

void Feed::unsubscribe(Entries::value_type& entry) {
  entry.second.is_subscribed = false;
  entry.second.window = nullptr;
  channel_.unsubscribe(entry.first);
  Topic& topic = *entry.second.topic;
  topic.show_gone();
  if (!topic.is_used()) unused(topic);
}

void Feed::heard(const Channel::Subject& subject, const Result<WindowPtr>& window) {
  const auto found = entries_.find(subject);
  if (found == entries_.end()) return;
  Entry& entry = found->second;
  if (!window) {
    if (window.refusal().code() != Code::unknown) {
      log_.warn("board \"{}\": {}", escaped(subject.board, 64), window.refusal().text());
    }
    entry.window = nullptr;
    entry.topic->show_gone();
    return;
  }
  entry.window = *window;
  show(*found);
}

void Feed::confirmed() {
  for (auto& entry : entries_) show(entry);
}

void Feed::unused(Topic& topic) {
  const auto found = entries_.find({topic.board(), topic.player()});
  if (found == entries_.end() || !topic.player().empty() || found->second.is_subscribed) return;
  entries_.erase(found);
}

std::uint64_t Feed::season_of(std::string_view board) const {
  const auto found = boards_.find(board);
  return found == boards_.end() ? 0 : found->second.description.season;
}

void Feed::show(Entries::value_type& entry) {
  auto& [subject, board] = entry;
  if (!board.window) return;
  const std::uint64_t season = season_of(subject.board);
  const StateId shown = board.topic->is_here() ? board.topic->state()->id() : StateId();
  // A new season has a new epoch, too.
  const bool half_told =
      shown && season != 0 && (shown.epoch != board.window->epoch) != (shown.season != season);
  if (!half_told) {
    board.held_until.reset();
  } else if (!board.held_until) {
    board.held_until = now_ + kSeasonWithin;
  }
  if (board.held_until && now_ < *board.held_until) {
    any_held_ = true;
    return;
  }
  board.held_until.reset();
  board.topic->show(*board.window, season, !channel_.is_current(subject));
}

const Feed::List* Feed::list() {
  if (!has_list_) return nullptr;
  if (!list_) {
    List made{list_json(), {}};
    made.etag = fmt::format("\"{:016x}\"", stable_hash(made.json));
    list_ = std::move(made);
  }
  return &*list_;
}

std::string Feed::list_json() const {
  std::string json = "[";
  for (const auto& [name, board] : boards_) {
    if (json.size() > 1) json += ',';
    append_board(json, board);
  }
  json += ']';
  return json;
}

}  // namespace laurel::web
