#include "board/spec/spec_change.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "board/spec/field_value.h"
#include "board/spec/source_list.h"
#include "board/spec/spec_fields.h"

namespace laurel {

namespace {

std::size_t index_of(std::string_view name) {
  const auto fields = spec_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const SpecField& field) { return field.name == name; });
  return static_cast<std::size_t>(found - fields.begin());
}

Refusal no_such_field(std::string_view name) {
  std::vector<std::string_view> names;
  for (const SpecField& field : spec_fields()) names.push_back(field.name);
  names.push_back("window");
  const std::string_view meant = nearest(name, names);
  if (meant.empty()) return {Code::invalid, "no field is called '{}'", escaped(name, 64)};
  return {Code::invalid, "no field is called '{}'; did you mean '{}'?", escaped(name, 64), meant};
}

std::string engines_of(const SpecField& field) {
  std::vector<std::string_view> words;
  for (unsigned kind = 0; kind < kEngineKinds; ++kind) {
    const auto engine = static_cast<EngineKind>(kind);
    if ((field.engines & set_of(engine)) != 0) words.push_back(word(engine));
  }
  return one_of(words);
}

// Whether the field says how scores that are plain numbers are kept.
bool is_of_numbers(const SpecField& field) {
  return field.name == "decimals" || field.name == "digits";
}

// Whether sharded boards have the field only with ranked shards.
bool is_of_ranked_shards(const SpecField& field) {
  return field.name == "marks" || field.name == "segments" || field.name == "cohorts";
}

bool belongs(const SpecField& field, const Spec& spec) {
  if ((field.engines & set_of(spec.engine)) == 0) return false;
  if (is_of_numbers(field) && spec.columns) return false;
  if (is_of_ranked_shards(field) && spec.engine == EngineKind::sharded) {
    return spec.of == EngineKind::ranked;
  }
  return field.name != "digits" || keys_are_padded(spec);
}

// Whether the field describes the stored order of a board of this spec.
bool is_fixed(const SpecField& field, const Spec& spec) {
  return field.stored_order || (field.name == "zone" && spec.engine == EngineKind::rolling);
}

Refusal foreign(const SpecField& field, const Spec& spec) {
  if (is_of_numbers(field) && spec.columns) {
    return {Code::invalid, "field '{}' has no meaning with 'columns', which have their own{}",
            field.name, field.name == "decimals" ? "" : " width"};
  }
  if (spec.engine == EngineKind::sharded && field.name == "digits") {
    return {Code::invalid,
            "field 'digits' belongs to shards of engine \"padded\"; these are of \"{}\"",
            word(spec.of)};
  }
  if (spec.engine == EngineKind::sharded && is_of_ranked_shards(field)) {
    return {Code::invalid, "field '{}' belongs to shards of engine \"ranked\"; these are of \"{}\"",
            field.name, word(spec.of)};
  }
  if (is_derived(spec) && (field.engines & kEveryOwnEngine) != 0) {
    return {Code::invalid,
            "field '{}' has no meaning with engine \"{}\": the board is made from {}", field.name,
            word(spec.engine), is_of_groups(spec) ? "another board" : "other boards"};
  }
  if (spec.engine == EngineKind::rolling &&
      (field.engines & kEveryOwnEngine) == (kEveryOwnEngine & ~set_of(EngineKind::rolling))) {
    return {Code::invalid, "field '{}' has no meaning with engine \"rolling\"", field.name};
  }
  return {Code::invalid, "field '{}' belongs to engine {}; this board's is \"{}\"", field.name,
          engines_of(field), word(spec.engine)};
}

Refusal without_take(std::string_view field, Take take) {
  return {Code::invalid, "field '{}' has no meaning with take = \"{}\"", field, word(take)};
}

Refusal foreign_take(const Spec& spec, std::string_view allowed) {
  return {Code::invalid, "field 'take' is \"{}\"; with engine \"{}\" it takes {}", word(spec.take),
          word(spec.engine), allowed};
}

// What a board of groups is made from is complete.
Status check_groups(const Spec& spec) {
  if (spec.source.empty()) return Refusal(Code::invalid, "a board of groups takes 'source'");
  if (spec.group.empty()) return Refusal(Code::invalid, "a board of groups takes 'group'");
  if (spec.take != Take::sum && spec.take != Take::mean && spec.take != Take::best) {
    return foreign_take(spec, "\"sum\", \"mean\" or \"best\"");
  }
  if (spec.best != 0 && spec.take == Take::best) return without_take("best", spec.take);
  constexpr double kMembersMax = 9007199254740992;  // 2^53
  if (spec.least >= 1 && spec.least <= kMembersMax && spec.least == std::floor(spec.least)) {
    return Done{};
  }
  return Refusal(
      Code::invalid,
      "field 'least' is {}; with engine \"groups\" it takes a number of members from 1 to "
      "2^53",
      spec.least);
}

// The sources and what is taken of them fit together.
Status check_combined(const Spec& spec) {
  if (spec.take == Take::mean || spec.take == Take::best) {
    return foreign_take(spec, "\"sum\", \"ratio\", \"count\" or \"firsts\"");
  }
  if (spec.sources.empty()) {
    return Refusal(Code::invalid, "a combined board takes 'sources'");
  }
  const Result<SourceList> sources = SourceList::parse(spec.sources);
  if (!sources) return sources.refusal();
  if (!spec.weights.empty() && spec.take != Take::sum) return without_take("weights", spec.take);
  if (spec.least != 0 && spec.take != Take::ratio) return without_take("least", spec.take);
  if (spec.take == Take::ratio && sources->names().size() != 2) {
    return Refusal(Code::invalid,
                   "field 'sources' is \"{}\"; with take = \"ratio\" it takes two names",
                   escaped(spec.sources, 64));
  }
  if (spec.weights.empty()) return Done{};
  if (sources->is_pattern()) {
    return Refusal(Code::invalid,
                   "field 'weights' takes a number for each name of 'sources'; "
                   "these are a pattern");
  }
  const Result<std::vector<double>> weights = parse_weights(spec.weights);
  if (!weights) return weights.refusal();
  if (weights->size() != sources->names().size()) {
    return Refusal(Code::invalid,
                   "field 'weights' has {} numbers; it takes one for each of the {} sources",
                   weights->size(), sources->names().size());
  }
  return Done{};
}

// Checks that involve several fields.
Status check_whole(const Spec& spec) {
  if (is_of_groups(spec)) return check_groups(spec);
  if (is_derived(spec)) return check_combined(spec);
  if (spec.opens && spec.closes && *spec.opens >= *spec.closes) {
    return Refusal(Code::invalid, "field 'closes' is {}; it takes a time after 'opens', {}",
                   seconds_from_time(*spec.closes), seconds_from_time(*spec.opens));
  }
  if (spec.duration && !spec.reset) {
    return Refusal(
        Code::invalid,
        "field 'duration' is {}; it takes a board with 'reset', which says when a season "
        "begins",
        seconds_from_time(*spec.duration));
  }
  if (spec.columns && spec.order != spec.columns->order()) {
    return Refusal(Code::invalid,
                   "field 'order' is \"{}\"; with 'columns' it is that of the first column, '{}', "
                   "which is \"{}\"",
                   word(spec.order), (*spec.columns)[0].name, word(spec.columns->order()));
  }
  if (spec.marks && !spec.remote.empty()) {
    return Refusal(Code::unsupported, "a remote board has no marks: only a local one");
  }
  if (!spec.segments.empty() && !spec.remote.empty()) {
    return Refusal(Code::unsupported, "a remote board has no segments: only a local one");
  }
  if (!spec.cohorts.empty() && !spec.remote.empty()) {
    return Refusal(Code::unsupported, "a remote board has no cohorts: only a local one");
  }
  if (keys_are_padded(spec) && !spec.columns && !spec.decimals) {
    return Refusal(Code::invalid,
                   "field 'decimals' is false; padded keys hold exact decimals: 0 to {}",
                   kDecimalsMax);
  }
  if (spec.engine == EngineKind::capped && spec.keep == Keep::sum) {
    return Refusal(Code::unsupported,
                   "a capped board does not keep the score of every player, so it cannot keep "
                   "sums; engine \"ranked\" can");
  }
  return Done{};
}

}  // namespace

Status SpecChange::set(std::string_view name, const FieldValue& value) {
  const std::size_t index = index_of(name);
  if (index == spec_fields().size()) return no_such_field(name);
  const RollingWindow before = given_.window;
  Status taken = spec_fields()[index].take(given_, name, value);
  if (!taken) return taken;
  which_.set(index);
  return check_window(before);
}

// `days` sets both fields of a window. A field given besides must have the same value, as in
// `info`.
Status SpecChange::check_window(const RollingWindow& before) const {
  const bool other_buckets = gives("window.buckets") && given_.window.buckets != before.buckets;
  const bool other_length = gives("window.seconds") && given_.window.length != before.length;
  if (!gives("days") || !(other_buckets || other_length)) return Done{};
  return Refusal(Code::invalid,
                 "field 'days' is short for 'window', and the two given are not the same");
}

bool SpecChange::gives(std::string_view name) const { return which_[index_of(name)]; }

Status SpecChange::check_fields(const Spec& spec) const {
  for (std::size_t i = 0; i < spec_fields().size(); ++i) {
    if (which_[i] && !belongs(spec_fields()[i], spec)) return foreign(spec_fields()[i], spec);
  }
  if (spec.engine == EngineKind::rolling && !spec.zone.is_utc() &&
      (gives("window.buckets") || gives("window.seconds"))) {
    return Refusal(Code::invalid,
                   "field 'window' is of equal buckets; a board in zone \"{}\" counts its days: it "
                   "takes 'days'",
                   spec.zone.name());
  }
  return check_whole(spec);
}

Result<Spec> SpecChange::create() const {
  Spec spec = given_;
  if (spec.columns && !gives("order")) spec.order = spec.columns->order();
  if (keys_are_padded(spec)) {
    // Defaults that match the byte order of padded keys.
    if (!gives("decimals") && !spec.columns) spec.decimals = 0;
    if (!gives("ties")) spec.ties = spec.order == Order::desc ? Ties::player_desc : Ties::player;
  }
  if (!gives("reserve")) spec.reserve = spec.cap;
  if (is_of_groups(spec) && !gives("least")) spec.least = 1;
  if (spec.engine == EngineKind::combined && spec.take == Take::sum && !gives("weights")) {
    const Result<SourceList> sources = SourceList::parse(spec.sources);
    const std::size_t names = sources ? sources->names().size() : 0;
    spec.weights = text_of_weights(std::vector<double>(names, 1));
  }
  if (const Status status = check_fields(spec); !status) return status.refusal();
  return spec;
}

Result<Spec> SpecChange::update(const Spec& standing) const {
  Spec spec = standing;
  for (std::size_t i = 0; i < spec_fields().size(); ++i) {
    if (!which_[i]) continue;
    const SpecField& field = spec_fields()[i];
    if (!belongs(field, standing)) return foreign(field, standing);
    const std::optional<FieldValue> given = field.give(given_);
    const std::optional<FieldValue> stands = field.give(standing);
    if (is_fixed(field, standing) && given != stands) {
      return Refusal(Code::invalid,
                     "field '{}' is {} and was {}: it describes the stored order and cannot change",
                     field.name, given ? show(*given) : "none", stands ? show(*stands) : "none");
    }
    // Cannot fail: set() accepted the value.
    (void)field.take(spec, field.name, given.value_or(FieldValue(false)));
  }
  if (const Status status = check_fields(spec); !status) return status.refusal();
  return spec;
}

void SpecChange::each_given(
    const std::function<void(std::string_view, const FieldValue&)>& visit) const {
  for (std::size_t i = 0; i < spec_fields().size(); ++i) {
    const SpecField& field = spec_fields()[i];
    if (which_[i]) visit(field.name, field.give(given_).value_or(FieldValue(false)));
  }
}

void each_stored_field(const Spec& spec,
                       const std::function<void(std::string_view, const FieldValue&)>& visit) {
  each_field(spec, [&](std::string_view field, const FieldValue& value) {
    if (spec.zone.is_utc() && (field == "days" || field == "zone")) return;
    if ((field == "history" || field == "journal") && value == FieldValue(0.0)) return;
    visit(field, value);
  });
}

void each_field(const Spec& spec,
                const std::function<void(std::string_view, const FieldValue&)>& visit) {
  for (const SpecField& field : spec_fields()) {
    if (!belongs(field, spec)) continue;
    if (const std::optional<FieldValue> value = field.give(spec)) visit(field.name, *value);
  }
}

}  // namespace laurel
