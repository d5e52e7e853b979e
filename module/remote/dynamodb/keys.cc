#include "remote/dynamodb/keys.h"

#include <cassert>

#include <boost/locale/utf.hpp>

#include "base/limits.h"
#include "remote/remote.h"

namespace laurel::dynamodb {

namespace {

namespace utf = boost::locale::utf;

constexpr utf::code_point kEscapes = 0xF700;  // to 0xF7FF: one escaped byte each
constexpr std::string_view kArchive = "#ARCHIVE_";

// DynamoDB's limit for sort keys. An escaped byte takes three.
constexpr std::size_t kSortKeyBytesMax = 1024;
static_assert(sizeof("SCORE##") + kDigitsMax + 17 + 3 * kPlayerBytesMax <= kSortKeyBytesMax);
static_assert(kLeaderboard.size() + 3 * kBoardNameBytesMax + kArchive.size() + 16 +
                  sizeof("#SEASON_") + 20 <=
              kSortKeyBytesMax);
static_assert(kLeaderboard.size() + 3 * kBoardNameBytesMax + sizeof("#CREATED_#CLEARED_#SEASON_") +
                  3 * 20 <=
              kSortKeyBytesMax);

void escape_byte(unsigned char byte, std::string& out) {
  utf::utf_traits<char>::encode(kEscapes + byte, std::back_inserter(out));
}

Json attribute(const char* name) { return {{"AttributeName", name}, {"AttributeType", "S"}}; }

Json key_schema(const char* hash, const char* range) {
  return Json::array({{{"AttributeName", hash}, {"KeyType", "HASH"}},
                      {{"AttributeName", range}, {"KeyType", "RANGE"}}});
}

Json index(const char* name, const char* hash, const char* range) {
  return {{"IndexName", name},
          {"KeySchema", key_schema(hash, range)},
          {"Projection", {{"ProjectionType", "ALL"}}}};
}

}  // namespace

EngineRow Row::view() const {
  EngineRow row{.player = player, .score = score, .at = at, .data = std::nullopt};
  if (data) row.data = *data;
  return row;
}

std::string key_text(std::string_view bytes, bool more_follows) {
  std::string text;
  const char* at = bytes.data();
  const char* const end = at + bytes.size();
  while (at != end) {
    const char* const begin = at;
    const utf::code_point point = utf::utf_traits<char>::decode(at, end);
    const bool stray = point == utf::illegal || point == utf::incomplete;
    if (stray) at = begin + 1;
    const bool escape =
        stray || (point >= kEscapes && point <= kEscapes + 0xFF) || (more_follows && point == '#');
    for (const char* byte = begin; byte != at; ++byte) {
      if (escape) {
        escape_byte(static_cast<unsigned char>(*byte), text);
      } else {
        text.push_back(*byte);
      }
    }
  }
  return text;
}

std::string bytes_of_key(std::string_view text) {
  std::string bytes;
  const char* at = text.data();
  const char* const end = at + text.size();
  while (at != end) {
    const char* const begin = at;
    const utf::code_point point = utf::utf_traits<char>::decode(at, end);
    if (point == utf::illegal || point == utf::incomplete) {
      at = begin + 1;  // invalid UTF-8 of another tool; kept as it is
    } else if (point >= kEscapes && point <= kEscapes + 0xFF) {
      bytes.push_back(static_cast<char>(point - kEscapes));
      continue;
    }
    bytes.append(begin, at);
  }
  return bytes;
}

std::string player_key(std::string_view player) { return "PLAYER#" + key_text(player, false); }
std::string email_key(std::string_view email) { return "PLAYER_EMAIL#" + key_text(email, false); }
std::string game_key(std::string_view game) { return "GAME#" + key_text(game, false); }
std::string session_key(std::string_view id) { return std::string(kSessions) + std::string(id); }
std::string admission_key(std::string_view player) {
  return "ADMISSION#" + key_text(player, false);
}
std::string attempts_key(std::string_view player) { return "ATTEMPTS#" + key_text(player, false); }
std::string fence_key(unsigned fence) { return fmt::format("FENCE#{:02}", fence); }
std::string posts_key(std::size_t lane, std::uint64_t server) {
  return fmt::format("POSTS#{}#{:016x}", lane, server);
}

std::string result_key(std::string_view keep, std::string_view id) {
  return fmt::format("{}#RESULT_{}", keep, key_text(id, false));
}

Json delete_request(const Json& key) { return Json{{"DeleteRequest", {{"Key", key}}}}; }

std::string copy_base(std::string_view board, Time created, std::uint64_t season) {
  return fmt::format("{}{}{}{:016x}#SEASON_{}", kLeaderboard, key_text(board, true), kArchive,
                     static_cast<std::uint64_t>(created), season);
}

// A board's name has no '#' in keys, so it cannot contain kArchive.
bool is_copy_base(std::string_view base) { return base.find(kArchive) != std::string_view::npos; }

Json item_key(std::string_view pk, std::string_view sk) {
  return Json{{"PK", text_value(pk)}, {"SK", text_value(sk)}};
}

EntryKeys::EntryKeys(const Spec& spec, bool odd_ids)
    : padded_(keys_are_padded(spec) ? PaddedKeys(spec) : PaddedKeys::of_any_score(spec)),
      form_(spec.order, spec.decimals),
      columns_(spec.columns),
      ties_(spec.ties),
      by_time_(spec.ties == Ties::earliest || spec.ties == Ties::latest),
      odd_ids_(odd_ids),
      partitions_(spec.engine == EngineKind::sharded ? spec.shards : 0) {}

std::string EntryKeys::partition(std::string_view base, std::size_t number) const {
  if (partitions_ == 0) return std::string(base);
  return fmt::format("{}#PARTITION_{}", base, number);
}

std::string EntryKeys::partition_of(std::string_view base, std::string_view player) const {
  if (partitions_ == 0) return std::string(base);
  Spec spec;
  spec.engine = EngineKind::sharded;
  spec.shards = partitions_;
  return partition(base, lane_of(spec, player));
}

std::string EntryKeys::score_key(const Row& row) const {
  const std::string key = padded_.key(row.view());
  return std::string(padded_.group(key)) + key_text(row.player, false);
}

void EntryKeys::write_row(const Row& row, Json& item) const {
  const double score = form_.score(row.score);
  if (const std::optional<int> decimals = form_.decimals()) {
    item["score"] = decimal_value(fmt::format("{:.{}f}", score, *decimals));
  } else {
    if (columns_) {
      const ColumnValues values = columns_->values(score);
      item["score"] = list_value(values.all());
    } else if (is_number(score)) {  // DynamoDB cannot store every double
      item["score"] = double_value(score);
    }
    item["order"] = decimal_value(fmt::format("{}", row.score));
  }
  item["at"] = number_value(row.at);
  if (row.data) item["data"] = bytes_value(*row.data);
}

Json EntryKeys::score_item(std::string_view base, const Row& row) const {
  Json item = item_key(partition_of(base, row.player), score_key(row));
  item["playerId"] = text_value(key_text(row.player, false));
  write_row(row, item);
  return item;
}

Json EntryKeys::pointer_item(std::string_view base, const Row& row) const {
  Json item = item_key(player_key(row.player), base);
  item["playerId"] = text_value(key_text(row.player, false));
  item["scorePK"] = text_value(partition_of(base, row.player));
  item["scoreSK"] = text_value(score_key(row));
  write_row(row, item);
  return item;
}

std::optional<Row> EntryKeys::row_of(const Json& item) const {
  const auto player = text_at(item, "playerId");
  const auto score = number_at(item, "score");
  const auto at = integer_at(item, "at");
  std::optional<ScoreKey> key;
  if (!form_.decimals()) {
    key = whole_at(item, "order");
  } else if (score) {
    key = form_.key(*score);
  }
  if (!player || !key || !at) return std::nullopt;
  return Row{bytes_of_key(*player), *key, *at, bytes_at(item, "data")};
}

Json table_form(std::string_view table) {
  Json form;
  form["TableName"] = std::string(table);
  form["BillingMode"] = "PAY_PER_REQUEST";
  form["AttributeDefinitions"] =
      Json::array({attribute("PK"), attribute("SK"), attribute("GSI1PK"), attribute("GSI1SK"),
                   attribute("GSI2PK"), attribute("GSI2SK")});
  form["KeySchema"] = key_schema("PK", "SK");
  form["GlobalSecondaryIndexes"] =
      Json::array({index("GSI1", "GSI1PK", "GSI1SK"), index("GSI2", "GSI2PK", "GSI2SK")});
  return form;
}

}  // namespace laurel::dynamodb
