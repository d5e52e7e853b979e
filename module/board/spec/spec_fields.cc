#include "board/spec/spec_fields.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/limits.h"
#include "base/text.h"
#include "board/spec/derived_fields.h"
#include "board/spec/field_value.h"

namespace laurel {

namespace {

// ---- the words of each enum, in its order

constexpr std::array<std::string_view, kEngineKinds> kEngines = {
    "capped", "ranked", "padded", "paged", "sharded", "rolling", "combined", "groups"};
constexpr std::array<std::string_view, 2> kOrders = {"desc", "asc"};
constexpr std::array<std::string_view, 4> kKeeps = {"best", "latest", "sum", "first"};
constexpr std::array<std::string_view, 4> kTies = {"earliest", "latest", "player", "player_desc"};
constexpr std::array<std::string_view, 5> kRankings = {"competition", "modified", "dense",
                                                       "ordinal", "fractional"};
constexpr std::array<std::string_view, 2> kJoins = {"open", "required"};
constexpr std::array<std::string_view, 2> kRuleFailures = {"refuse", "keep"};
constexpr std::array<std::string_view, 6> kTakes = {"sum",    "ratio", "count",
                                                    "firsts", "mean",  "best"};

// ---- one reader and one writer for each kind of field

template <auto member, const auto& words>
Status take_word(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  const auto found = text ? std::find(words.begin(), words.end(), *text) : words.end();
  if (found == words.end()) return not_allowed(field, value, one_of(words));
  using Choice = std::remove_reference_t<decltype(spec.*member)>;
  spec.*member = static_cast<Choice>(found - words.begin());
  return Done{};
}

template <auto member, const auto& words>
std::optional<FieldValue> give_word(const Spec& spec) {
  return words[static_cast<std::size_t>(spec.*member)];
}

// Sets a whole number from low to high.
template <auto member, std::int64_t low, std::int64_t high>
Status take_whole(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr || *number < low || *number > high || *number != std::floor(*number)) {
    return not_allowed(field, value, fmt::format("a whole number from {} to {}", low, high));
  }
  using Whole = std::remove_reference_t<decltype(spec.*member)>;
  spec.*member = static_cast<Whole>(*number);
  return Done{};
}

template <auto member>
std::optional<FieldValue> give_whole(const Spec& spec) {
  return static_cast<double>(spec.*member);
}

Status take_decimals(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (is_false(value)) {
    spec.decimals.reset();
  } else if (number && *number >= 0 && *number <= kDecimalsMax && *number == std::floor(*number)) {
    spec.decimals = static_cast<int>(*number);
  } else {
    return not_allowed(field, value,
                       fmt::format("a whole number from 0 to {}, or false for Lua "
                                   "numbers as they are",
                                   kDecimalsMax));
  }
  return Done{};
}

std::optional<FieldValue> give_decimals(const Spec& spec) {
  if (!spec.decimals) return std::nullopt;
  return static_cast<double>(*spec.decimals);
}

Status take_columns(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (is_false(value)) {
    spec.columns.reset();
  } else if (text != nullptr) {
    Result<ScoreColumns::Ptr> columns = ScoreColumns::parse(*text);
    if (!columns) return columns.refusal();
    spec.columns = std::move(*columns);
  } else {
    return not_allowed(
        field, value, fmt::format("{} to {} columns, or false for none", kColumnsMin, kColumnsMax));
  }
  return Done{};
}

std::optional<FieldValue> give_columns(const Spec& spec) {
  if (!spec.columns) return std::nullopt;
  return std::string_view(spec.columns->text());
}

template <auto member>
Status take_time(Spec& spec, std::string_view field, const FieldValue& value) {
  if (is_false(value)) {
    (spec.*member).reset();
    return Done{};
  }
  const double* number = std::get_if<double>(&value);
  const std::optional<Time> time = number ? time_from_seconds(*number) : std::nullopt;
  if (!time) {
    return not_allowed(field, value, "a time in Unix seconds within +-2^33, or false for none");
  }
  spec.*member = *time;
  return Done{};
}

template <auto member>
std::optional<FieldValue> give_time(const Spec& spec) {
  if (!(spec.*member)) return std::nullopt;
  return seconds_from_time(*(spec.*member));
}

// A limit that may be absent, which is 0.
constexpr double kCountMax = 9007199254740992;  // 2^53

template <auto member>
Status take_limit(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (is_false(value)) {
    spec.*member = 0;
  } else if (number && *number >= 1 && *number <= kCountMax && *number == std::floor(*number)) {
    spec.*member = static_cast<std::uint64_t>(*number);
  } else {
    return not_allowed(field, value, "a whole number from 1 to 2^53, or false for none");
  }
  return Done{};
}

template <auto member>
std::optional<FieldValue> give_limit(const Spec& spec) {
  if (spec.*member == 0) return std::nullopt;
  return static_cast<double>(spec.*member);
}

// ---- sharded boards: the engine of each shard

constexpr std::array<EngineKind, 3> kPartEngines = {EngineKind::ranked, EngineKind::padded,
                                                    EngineKind::paged};

Status take_of(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  for (const EngineKind kind : kPartEngines) {
    if (text == nullptr || *text != word(kind)) continue;
    spec.of = kind;
    return Done{};
  }
  const std::array<std::string_view, 3> words = {word(kPartEngines[0]), word(kPartEngines[1]),
                                                 word(kPartEngines[2])};
  return not_allowed(field, value, one_of(words));
}

std::optional<FieldValue> give_of(const Spec& spec) { return word(spec.of); }

// ---- rolling boards: the window

Status take_buckets(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  if (number == nullptr || *number < 1 || *number > kBucketsMax || *number != std::floor(*number)) {
    return not_allowed(field, value, fmt::format("a whole number from 1 to {}", kBucketsMax));
  }
  spec.window.buckets = static_cast<int>(*number);
  return Done{};
}

Status take_days(Spec& spec, std::string_view field, const FieldValue& value) {
  spec.window.length = kDay;
  return take_buckets(spec, field, value);
}

Status take_length(Spec& spec, std::string_view field, const FieldValue& value) {
  const double* number = std::get_if<double>(&value);
  const std::optional<Time> length = number ? time_from_seconds(*number) : std::nullopt;
  if (!length || *length < kBucketLengthMin) {
    return not_allowed(field, value,
                       fmt::format("seconds from {} to 2^33", seconds_from_time(kBucketLengthMin)));
  }
  spec.window.length = *length;
  return Done{};
}

// The days of a zone differ in length, so they are not a window of equal buckets.
std::optional<FieldValue> give_buckets(const Spec& spec) {
  if (!spec.zone.is_utc()) return std::nullopt;
  return static_cast<double>(spec.window.buckets);
}

std::optional<FieldValue> give_days(const Spec& spec) {
  if (spec.window.length != kDay) return std::nullopt;
  return static_cast<double>(spec.window.buckets);
}

std::optional<FieldValue> give_length(const Spec& spec) {
  if (!spec.zone.is_utc()) return std::nullopt;
  return seconds_from_time(spec.window.length);
}

// ---- seasons

template <auto member>
Status take_cron(Spec& spec, std::string_view field, const FieldValue& value) {
  if (is_false(value)) {
    (spec.*member).reset();
    return Done{};
  }
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) {
    return not_allowed(field, value,
                       "five fields of cron, such as \"0 0 * * 1\", or false for none");
  }
  Result<Cron> cron = Cron::parse(*text);
  if (!cron) return Refusal(Code::invalid, "field '{}': {}", field, cron.refusal().message());
  spec.*member = std::move(*cron);
  return Done{};
}

template <auto member>
std::optional<FieldValue> give_cron(const Spec& spec) {
  if (!(spec.*member)) return std::nullopt;
  return std::string_view((spec.*member)->text());
}

Status take_zone(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (text == nullptr) {
    return not_allowed(field, value, "the name of a zone, such as \"Europe/Berlin\", or \"UTC\"");
  }
  const Result<Zone> zone = Zone::find(*text);
  if (!zone) {
    return Refusal(Code::invalid, "field '{}' is {}: {}", field, show(value),
                   zone.refusal().message());
  }
  spec.zone = *zone;
  return Done{};
}

std::optional<FieldValue> give_zone(const Spec& spec) { return spec.zone.name(); }

Status take_duration(Spec& spec, std::string_view field, const FieldValue& value) {
  if (is_false(value)) {
    spec.duration.reset();
    return Done{};
  }
  const double* number = std::get_if<double>(&value);
  const std::optional<Time> length = number ? time_from_seconds(*number) : std::nullopt;
  if (!length || *length <= 0 || *length > kDurationDaysMax * kDay) {
    return not_allowed(field, value,
                       fmt::format("seconds above 0 and up to {}, which are {} days, or false for "
                                   "none",
                                   kDurationDaysMax * kDay / kSecond, kDurationDaysMax));
  }
  spec.duration = *length;
  return Done{};
}

std::optional<FieldValue> give_duration(const Spec& spec) {
  if (!spec.duration) return std::nullopt;
  return seconds_from_time(*spec.duration);
}

// ---- names and texts

// The name of a file, or of a remote.
bool is_plain_name(std::string_view name) {
  const auto is_plain = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kRuleNameBytesMax &&
         std::all_of(name.begin(), name.end(), is_plain);
}

Status take_rule(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (is_false(value)) {
    spec.rule.clear();
  } else if (text && is_plain_name(*text)) {
    spec.rule = *text;
  } else {
    return not_allowed(field, value,
                       fmt::format("the name of a file without \".lua\": 1 to {} letters, digits, "
                                   "\"_\" and \"-\"; or false for none",
                                   kRuleNameBytesMax));
  }
  return Done{};
}

std::optional<FieldValue> give_rule(const Spec& spec) {
  if (spec.rule.empty()) return std::nullopt;
  return std::string_view(spec.rule);
}

Status take_remote(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (is_false(value)) {
    spec.remote.clear();
  } else if (text && is_plain_name(*text)) {
    spec.remote = *text;
  } else {
    return not_allowed(
        field, value,
        fmt::format("the name of a remote: 1 to {} letters, digits, \"_\" and \"-\"; "
                    "or false for none",
                    kRuleNameBytesMax));
  }
  return Done{};
}

std::optional<FieldValue> give_remote(const Spec& spec) {
  if (spec.remote.empty()) return std::nullopt;
  return std::string_view(spec.remote);
}

Status take_meta(Spec& spec, std::string_view field, const FieldValue& value) {
  const auto* text = std::get_if<std::string_view>(&value);
  if (is_false(value)) {
    spec.meta.reset();
  } else if (text && text->size() <= kMetaBytesMax) {
    spec.meta = std::string(*text);
  } else {
    return not_allowed(field, value,
                       fmt::format("a string of up to {} bytes, or false for none", kMetaBytesMax));
  }
  return Done{};
}

std::optional<FieldValue> give_meta(const Spec& spec) {
  if (!spec.meta) return std::nullopt;
  return std::string_view(*spec.meta);
}

// ---- the fields

constexpr EngineSet kCapped = set_of(EngineKind::capped);
constexpr EngineSet kPadded = set_of(EngineKind::padded) | set_of(EngineKind::sharded);
constexpr EngineSet kSharded = set_of(EngineKind::sharded);
constexpr EngineSet kRolling = set_of(EngineKind::rolling);
constexpr EngineSet kCombined = set_of(EngineKind::combined);
constexpr EngineSet kGroups = set_of(EngineKind::groups);
constexpr EngineSet kWithScores = kEveryOwnEngine & ~kRolling;
constexpr EngineSet kOfAllPlayers = kWithScores & ~kCapped;
// These not with every kind of shards: see belongs() of spec_change.cc.
constexpr EngineSet kMarked = set_of(EngineKind::ranked) | kCapped | kSharded;
constexpr EngineSet kSegmented = set_of(EngineKind::ranked) | kSharded;

constexpr std::array kSpecFields = {
    SpecField{"engine", kEveryEngine, true, take_word<&Spec::engine, kEngines>,
              give_word<&Spec::engine, kEngines>},
    SpecField{"order", kEveryEngine, true, take_word<&Spec::order, kOrders>,
              give_word<&Spec::order, kOrders>},
    SpecField{"keep", kWithScores, true, take_word<&Spec::keep, kKeeps>,
              give_word<&Spec::keep, kKeeps>},
    SpecField{"ties", kEveryEngine, true, take_word<&Spec::ties, kTies>,
              give_word<&Spec::ties, kTies>},
    SpecField{"ranking", kEveryEngine, false, take_word<&Spec::ranking, kRankings>,
              give_word<&Spec::ranking, kRankings>},
    SpecField{"decimals", kEveryEngine, true, take_decimals, give_decimals},
    SpecField{"columns", kWithScores | kGroups, true, take_columns, give_columns},
    SpecField{"cap", kCapped, false, take_whole<&Spec::cap, 1, kCapMax>, give_whole<&Spec::cap>},
    SpecField{"reserve", kCapped, false, take_whole<&Spec::reserve, 0, kCapMax>,
              give_whole<&Spec::reserve>},
    SpecField{"digits", kPadded, true, take_whole<&Spec::digits, 1, kDigitsMax>,
              give_whole<&Spec::digits>},
    SpecField{"shards", kSharded, true, take_whole<&Spec::shards, 1, kShardsMax>,
              give_whole<&Spec::shards>},
    SpecField{"of", kSharded, true, take_of, give_of},
    SpecField{"days", kRolling, true, take_days, give_days},
    SpecField{"window.buckets", kRolling, true, take_buckets, give_buckets},
    SpecField{"window.seconds", kRolling, true, take_length, give_length},
    SpecField{"reset", kWithScores, false, take_cron<&Spec::reset>, give_cron<&Spec::reset>},
    SpecField{"zone", kEveryOwnEngine, false, take_zone, give_zone},
    SpecField{"duration", kWithScores, false, take_duration, give_duration},
    SpecField{"archive", kEveryOwnEngine | kGroups, false,
              take_whole<&Spec::archive, 0, kArchiveMax>, give_whole<&Spec::archive>},
    SpecField{"opens", kEveryOwnEngine, false, take_time<&Spec::opens>, give_time<&Spec::opens>},
    SpecField{"closes", kEveryOwnEngine, false, take_time<&Spec::closes>, give_time<&Spec::closes>},
    SpecField{"join", kEveryOwnEngine, false, take_word<&Spec::join, kJoins>,
              give_word<&Spec::join, kJoins>},
    SpecField{"attempts", kEveryOwnEngine, false, take_limit<&Spec::attempts>,
              give_limit<&Spec::attempts>},
    SpecField{"capacity", kWithScores & ~kCapped, false, take_limit<&Spec::capacity>,
              give_limit<&Spec::capacity>},
    SpecField{"remote", kEveryOwnEngine, true, take_remote, give_remote},
    SpecField{"rule", kEveryOwnEngine, false, take_rule, give_rule},
    SpecField{"rule_failure", kEveryOwnEngine, false, take_word<&Spec::rule_failure, kRuleFailures>,
              give_word<&Spec::rule_failure, kRuleFailures>},
    SpecField{"meta", kEveryEngine, false, take_meta, give_meta},
    SpecField{"history", kOfAllPlayers, false, take_whole<&Spec::history, 0, kHistoryMax>,
              give_whole<&Spec::history>},
    SpecField{"marks", kMarked, false, take_cron<&Spec::marks>, give_cron<&Spec::marks>},
    SpecField{"segments", kSegmented, false, take_segments, give_segments},
    SpecField{"cohorts", kSegmented, false, take_cohorts, give_cohorts},
    SpecField{"journal", kEveryOwnEngine, false, take_whole<&Spec::journal, 0, kJournalMax>,
              give_whole<&Spec::journal>},
    SpecField{"sources", kCombined, true, take_sources, give_sources},
    SpecField{"source", kGroups, true, take_source, give_source},
    SpecField{"group", kGroups, true, take_group, give_group},
    SpecField{"take", kCombined | kGroups, true, take_word<&Spec::take, kTakes>,
              give_word<&Spec::take, kTakes>},
    SpecField{"weights", kCombined, true, take_weights, give_weights},
    SpecField{"best", kGroups, true, take_best, give_best},
    SpecField{"least", kCombined | kGroups, true, take_least, give_least},
};

}  // namespace

std::span<const SpecField> spec_fields() { return kSpecFields; }

std::string_view word(EngineKind engine) { return kEngines[static_cast<std::size_t>(engine)]; }

std::string_view word(Take take) { return kTakes[static_cast<std::size_t>(take)]; }

std::string_view word(Ranking ranking) { return kRankings[static_cast<std::size_t>(ranking)]; }

std::optional<Ranking> ranking_from_word(std::string_view word) {
  const auto found = std::find(kRankings.begin(), kRankings.end(), word);
  if (found == kRankings.end()) return std::nullopt;
  return static_cast<Ranking>(found - kRankings.begin());
}

Result<Ranking> to_ranking(std::string_view word) {
  if (const std::optional<Ranking> known = ranking_from_word(word)) return *known;
  return Refusal(Code::unknown, "no ranking is called \"{}\"; there are {}", escaped(word, 32),
                 one_of(kRankings));
}

}  // namespace laurel
