#include "web/feed/state.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include <fmt/core.h>

#include "base/text.h"
#include "web/http/json.h"

namespace laurel::web {

namespace {

template <typename... Args>
void append(std::string& text, fmt::format_string<Args...> format, Args&&... args) {
  fmt::format_to(std::back_inserter(text), format, std::forward<Args>(args)...);
}

void append_score(std::string& json, double score, const ScoreColumns* columns) {
  if (columns == nullptr) return append_number(json, score);
  char before = '[';
  const ColumnValues values = columns->values(score);
  for (const double value : values.all()) {
    json += before;
    append_number(json, value);
    before = ',';
  }
  json += ']';
}

}  // namespace

std::string to_text(const StateId& id) {
  if (!id) return {};
  return fmt::format("{:016x}-{}{}", id.epoch, id.version, id.stale ? "-stale" : "");
}

StateId state_id_of(std::string_view text) {
  StateId id;
  const std::string_view kStale = "-stale";
  if (text.ends_with(kStale)) {
    id.stale = true;
    text.remove_suffix(kStale.size());
  }
  const std::size_t dash = std::min(text.find('-'), text.size());
  const auto read = [](std::string_view digits, std::uint64_t& number, int base) {
    const char* const last = digits.data() + digits.size();
    const auto [end, failed] = std::from_chars(digits.data(), last, number, base);
    return failed == std::errc() && end == last;
  };
  const bool valid = dash < text.size() && read(text.substr(0, dash), id.epoch, 16) &&
                     read(text.substr(dash + 1), id.version, 10);
  return valid ? id : StateId();
}

bool is_held(const StateId& held, const StateId& state) {
  return held.epoch == state.epoch && held.version == state.version && held.stale == state.stale &&
         (held.season == state.season || held.season == 0);
}

State::State(const Subject& subject, const Window& window, std::uint64_t season, bool is_stale)
    : id_{window.epoch, window.version, season, is_stale}, is_around_(!subject.player.empty()) {
  constexpr std::size_t kBytesOfEntry = 128;  // usually
  text_.reserve(256 + kBytesOfEntry * window.entries.size());
  begin("top");
  text_ += "{\"board\":";
  append_text(text_, subject.board);
  append(text_, ",\"version\":{},\"epoch\":\"{:016x}\",\"size\":{}", window.version, window.epoch,
         window.size);
  if (season != 0) append(text_, ",\"season\":{}", season);
  append(text_, ",\"stale\":{}", is_stale);
  if (is_around_) {
    text_ += ",\"player\":";
    append_text(text_, subject.player);
  }
  text_ += is_around_ ? ",\"entries\":[" : ",\"top\":[";
  entries_at_ = text_.size();
  for (std::size_t i = 0; i < window.entries.size(); ++i) {
    const WindowEntry& entry = window.entries[i];
    if (i > 0) text_ += ',';
    append_entry(entry, window.columns.get());
    ends_.push_back(static_cast<std::uint32_t>(text_.size()));
    if (is_around_ && entry.player == subject.player) player_at_ = i;
  }
}

State::State(std::string_view board) {
  begin("gone");
  text_ += "{\"board\":";
  append_text(text_, board);
  text_ += ",\"error\":";
  append_text(text_, fmt::format("unknown: no board is called '{}'", escaped(board)));
  entries_at_ = text_.size();
}

void State::begin(std::string_view event) {
  append(text_, "id: {}\n", to_text(id_));
  event_at_ = text_.size();
  append(text_, "event: {}\ndata: ", event);
  json_at_ = text_.size();
}

void State::append_entry(const WindowEntry& entry, const ScoreColumns* columns) {
  text_ += "{\"player\":";
  append_text(text_, entry.player);
  if (entry.name) {
    text_ += ",\"name\":";
    append_text(text_, *entry.name);
  }
  text_ += ",\"score\":";
  append_score(text_, entry.score, columns);
  text_ += ",\"rank\":";
  append_number(text_, static_cast<double>(entry.rank));
  if (entry.rank_change) {
    text_ += ",\"rank_change\":";
    append_number(text_, *entry.rank_change);
  }
  if (entry.at) {
    text_ += ",\"at\":";
    append_number(text_, seconds_from_time(*entry.at));
  }
  if (entry.data) {
    text_ += ",\"data\":";
    append_text(text_, *entry.data);
  }
  text_ += '}';
}

State::Pieces State::cut(unsigned n, std::size_t from, std::string_view end) const {
  const std::string_view text(text_);
  if (is_gone()) return {text.substr(from), {}, end.substr(1)};  // its JSON has no list
  std::size_t first = 0, count = std::min<std::size_t>(n, ends_.size());
  if (is_around_) {
    // At an end of the board the stretch slides, as the server's does.
    count = std::min<std::size_t>(2 * n + 1, ends_.size());
    const std::size_t at = player_at_.value_or(0);
    first = std::min(at - std::min<std::size_t>(at, n), ends_.size() - count);
  }
  const std::size_t begins = first == 0 ? entries_at_ : ends_[first - 1] + 1;
  const std::size_t ends = count == 0 ? begins : ends_[first + count - 1];
  return {text.substr(from, entries_at_ - from), text.substr(begins, ends - begins), end};
}

std::string joined(const State::Pieces& pieces) {
  std::string text;
  for (const std::string_view piece : pieces) text += piece;
  return text;
}

}  // namespace laurel::web
