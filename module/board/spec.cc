#include "board/spec.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "base/limits.h"
#include "base/text.h"

namespace laurel {

namespace {

// ---- the words of each choice, in the order of their enum

constexpr std::array<std::string_view, 1> kEngines = {"ranked"};
constexpr std::array<std::string_view, 2> kOrders = {"desc", "asc"};
constexpr std::array<std::string_view, 4> kKeeps = {"best", "latest", "sum", "first"};
constexpr std::array<std::string_view, 4> kTies = {"earliest", "latest", "player", "player_desc"};
constexpr std::array<std::string_view, 4> kRankings = {"competition", "modified", "dense",
                                                       "ordinal"};
constexpr std::array<std::string_view, 2> kJoins = {"open", "required"};
constexpr std::array<std::string_view, 2> kRuleFailures = {"refuse", "keep"};

std::string show(const FieldValue& value) {
  if (const auto* text = std::get_if<std::string_view>(&value)) {
    return fmt::format("\"{}\"", escaped(*text, 64));
  }
  if (const auto* number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<bool>(value) ? "true" : "false";
}

Refusal not_allowed(std::string_view field, const FieldValue& value, std::string_view allowed) {
  return {Code::invalid, "field '{}' is {}; it takes {}", field, show(value), allowed};
}

bool is_false(const FieldValue& value) {
  const bool* truth = std::get_if<bool>(&value);
  return truth != nullptr && !*truth;
}

// ---- one reader and one writer per kind of field

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

bool is_rule_name(std::string_view name) {
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
  } else if (text && is_rule_name(*text)) {
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

struct Field {
  std::string_view name;
  bool stored_order;
  Status (*take)(Spec& spec, std::string_view field, const FieldValue& value);
  std::optional<FieldValue> (*give)(const Spec& spec);
};

constexpr std::array kFields = {
    Field{"engine", true, take_word<&Spec::engine, kEngines>, give_word<&Spec::engine, kEngines>},
    Field{"order", true, take_word<&Spec::order, kOrders>, give_word<&Spec::order, kOrders>},
    Field{"keep", true, take_word<&Spec::keep, kKeeps>, give_word<&Spec::keep, kKeeps>},
    Field{"ties", true, take_word<&Spec::ties, kTies>, give_word<&Spec::ties, kTies>},
    Field{"ranking", false, take_word<&Spec::ranking, kRankings>,
          give_word<&Spec::ranking, kRankings>},
    Field{"decimals", true, take_decimals, give_decimals},
    Field{"opens", false, take_time<&Spec::opens>, give_time<&Spec::opens>},
    Field{"closes", false, take_time<&Spec::closes>, give_time<&Spec::closes>},
    Field{"join", false, take_word<&Spec::join, kJoins>, give_word<&Spec::join, kJoins>},
    Field{"rule", false, take_rule, give_rule},
    Field{"rule_failure", false, take_word<&Spec::rule_failure, kRuleFailures>,
          give_word<&Spec::rule_failure, kRuleFailures>},
    Field{"meta", false, take_meta, give_meta},
};

// Fields of engines that are not built into this version, and of what is not built in at all.
struct Absent {
  std::string_view name;
  std::string_view belongs_to;
};
constexpr std::array kAbsent = {
    Absent{"cap", "engine \"capped\""},     Absent{"reserve", "engine \"capped\""},
    Absent{"digits", "engine \"padded\""},  Absent{"shards", "engine \"sharded\""},
    Absent{"of", "engine \"sharded\""},     Absent{"days", "engine \"rolling\""},
    Absent{"window", "engine \"rolling\""}, Absent{"reset", "seasons"},
    Absent{"archive", "seasons"},           Absent{"remote", "remotes"},
};
constexpr std::array<std::string_view, 5> kAbsentEngines = {"capped", "padded", "paged", "sharded",
                                                            "rolling"};

std::size_t index_of(std::string_view name) {
  const auto found = std::find_if(kFields.begin(), kFields.end(),
                                  [&](const Field& field) { return field.name == name; });
  return static_cast<std::size_t>(found - kFields.begin());
}

Refusal no_such_field(std::string_view name) {
  for (const Absent& absent : kAbsent) {
    if (absent.name == name) {
      return {Code::invalid, "field '{}' belongs to {}, which this version does not have", name,
              absent.belongs_to};
    }
  }
  std::array<std::string_view, kFields.size()> names;
  std::transform(kFields.begin(), kFields.end(), names.begin(),
                 [](const Field& field) { return field.name; });
  const std::string_view meant = nearest(name, names);
  if (meant.empty()) return {Code::invalid, "no field is called '{}'", escaped(name, 64)};
  return {Code::invalid, "no field is called '{}'; did you mean '{}'?", escaped(name, 64), meant};
}

}  // namespace

Status SpecChange::set(std::string_view name, const FieldValue& value) {
  const std::size_t index = index_of(name);
  if (index == kFields.size()) return no_such_field(name);

  const auto* text = std::get_if<std::string_view>(&value);
  if (name == "engine" && text &&
      std::find(kAbsentEngines.begin(), kAbsentEngines.end(), *text) != kAbsentEngines.end()) {
    return Refusal(Code::invalid, "engine \"{}\" is not available in this version; available: {}",
                   *text, one_of(kEngines));
  }
  Status taken = kFields[index].take(given_, name, value);
  if (taken) which_.set(index);
  return taken;
}

Result<Spec> SpecChange::create() const {
  if (given_.opens && given_.closes && *given_.opens >= *given_.closes) {
    return Refusal(Code::invalid, "field 'closes' is {}; it takes a time after 'opens', {}",
                   seconds_from_time(*given_.closes), seconds_from_time(*given_.opens));
  }
  return given_;
}

Result<Spec> SpecChange::update(const Spec& standing) const {
  SpecChange whole;
  whole.given_ = standing;
  for (std::size_t i = 0; i < kFields.size(); ++i) {
    if (!which_[i]) continue;
    const Field& field = kFields[i];
    const std::optional<FieldValue> given = field.give(given_);
    const std::optional<FieldValue> stands = field.give(standing);
    if (field.stored_order && given != stands) {
      return Refusal(Code::invalid,
                     "field '{}' is {} and was {}: it describes the stored order and cannot change",
                     field.name, given ? show(*given) : "none", stands ? show(*stands) : "none");
    }
    // What was taken once is taken again.
    (void)field.take(whole.given_, field.name, given.value_or(FieldValue(false)));
  }
  return whole.create();
}

void each_field(const Spec& spec,
                const std::function<void(std::string_view, const FieldValue&)>& visit) {
  for (const Field& field : kFields) {
    if (const std::optional<FieldValue> value = field.give(spec)) visit(field.name, *value);
  }
}

std::string_view word(Ranking ranking) { return kRankings[static_cast<std::size_t>(ranking)]; }

std::optional<Ranking> ranking_from_word(std::string_view word) {
  const auto found = std::find(kRankings.begin(), kRankings.end(), word);
  if (found == kRankings.end()) return std::nullopt;
  return static_cast<Ranking>(found - kRankings.begin());
}

std::span<const std::string_view> ranking_words() { return kRankings; }

}  // namespace laurel
