#include "transfer/csv.h"

#include <algorithm>
#include <ctime>

#include <fmt/core.h>

#include "base/encoding.h"
#include "base/text.h"

namespace laurel {

namespace {

std::string quoted(std::string_view text) {
  std::string cell = "\"";
  for (const char c : text) {
    if (c == '"') cell += '"';
    cell += c;
  }
  return cell + '"';
}

}  // namespace

std::string csv_text(std::string_view bytes) {
  if (!is_utf8(bytes) || bytes.starts_with(kCsvBase64)) {
    return std::string(kCsvBase64) + to_base64(bytes);
  }
  const bool plain = !bytes.empty() && bytes.find_first_of(",\"\r\n") == std::string_view::npos;
  return plain ? std::string(bytes) : quoted(bytes);
}

std::string iso_time(Time time) {
  const Time part = ((time % kSecond) + kSecond) % kSecond;
  const std::time_t seconds = (time - part) / kSecond;
  std::tm utc{};
  ::gmtime_r(&seconds, &utc);
  return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:06}Z", utc.tm_year + 1900,
                     utc.tm_mon + 1, utc.tm_mday, utc.tm_hour, utc.tm_min, utc.tm_sec, part);
}

CsvEntries::CsvEntries(std::span<const ScoreColumns::Ptr> scores) : plain_(scores.empty()) {
  for (const ScoreColumns::Ptr& columns : scores) {
    if (!columns) {
      plain_ = true;
      continue;
    }
    for (std::size_t i = 0; i < columns->size(); ++i) {
      const std::string& name = (*columns)[i].name;
      if (std::ranges::find(names_, name) == names_.end()) names_.push_back(name);
    }
  }
}

std::string CsvEntries::header() const {
  std::string header = "board,season,position,rank,player,name";
  if (plain_) header += ",score";
  for (const std::string& name : names_) header += ",score." + name;
  return header + ",at,data";
}

void CsvEntries::add_score(std::string& row, double score, const ScoreColumns* columns) const {
  if (plain_) row += ',';
  if (plain_ && columns == nullptr) row += shown(score);
  ColumnValues values{.values = {}, .count = 0};
  if (columns != nullptr) values = columns->values(score);
  for (const std::string& name : names_) {
    row += ',';
    const auto column = columns == nullptr ? std::nullopt : columns->find(name);
    if (column) row += shown(values.values[*column]);
  }
}

std::string CsvEntries::row(const Place& place, const Entry& entry) const {
  std::string row =
      fmt::format("{},{},{},{},{},", csv_text(place.board),
                  place.season == 0 ? "" : std::to_string(place.season), place.position,
                  shown(static_cast<double>(entry.rank)), csv_text(entry.player));
  if (!place.name.empty()) row += csv_text(place.name);
  add_score(row, entry.score, place.columns);
  row += ',' + iso_time(entry.at) + ',';
  if (entry.data) row += csv_text(*entry.data);
  return row;
}

}  // namespace laurel
