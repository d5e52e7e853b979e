#include "remote/redis/board_metadata.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include <fmt/core.h>

#include "base/limits.h"
#include "board/spec/spec_fields.h"

namespace laurel::redis {

namespace {

constexpr std::string_view kSpecPrefix = "spec:";
constexpr std::string_view kKeptPrefix = "kept:";
constexpr std::string_view kHeardPrefix = "heard:";

template <typename Number>
Number number_of(std::string_view text) {
  Number number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number);
  return number;
}

KeptSeason kept_of(std::string_view number, std::string_view value) {
  KeptSeason kept;
  const std::size_t first = value.find(' ');
  const std::size_t second = value.find(' ', first + 1);
  kept.season.number = number_of<std::uint64_t>(number);
  if (second == std::string_view::npos) return kept;
  kept.season.started = number_of<Time>(value.substr(0, first));
  kept.season.ended = number_of<Time>(value.substr(first + 1, second - first - 1));
  kept.ranking = ranking_from_word(value.substr(second + 1)).value_or(Ranking::competition);
  return kept;
}

// Sorts fields by the manual's order, since a hash has none.
std::size_t place_in_manual(std::string_view name) {
  const auto fields = spec_fields();
  const auto found = std::find_if(fields.begin(), fields.end(),
                                  [&](const SpecField& field) { return field.name == name; });
  return static_cast<std::size_t>(found - fields.begin());
}

}  // namespace

const KeptSeason* BoardFacts::find(std::uint64_t number) const {
  for (const KeptSeason& each : kept) {
    if (each.season.number == number) return &each;
  }
  return nullptr;
}

BoardFacts facts_of(const Reply& hash) {
  BoardFacts facts;
  for (std::size_t i = 0; i + 1 < hash.list.size(); i += 2) {
    const std::string_view field = hash.list[i].text;
    const std::string& value = hash.list[i + 1].text;
    if (field.starts_with(kSpecPrefix)) {
      facts.spec.emplace_back(field.substr(kSpecPrefix.size()), value);
    } else if (field.starts_with(kKeptPrefix)) {
      facts.kept.push_back(kept_of(field.substr(kKeptPrefix.size()), value));
    } else if (field.starts_with(kHeardPrefix)) {
      const std::string_view name = field.substr(kHeardPrefix.size());
      if (const auto hearing = hearing_of(value)) facts.hearings.emplace(name, *hearing);
    } else if (field == "revision") {
      facts.revision = number_of<std::uint64_t>(value);
    } else if (field == "season") {
      facts.season.number = number_of<std::uint64_t>(value);
    } else if (field == "started") {
      facts.season.started = number_of<Time>(value);
    } else if (field == "created") {
      facts.created = number_of<Time>(value);
    } else if (field == "counting") {
      facts.counting = number_of<std::uint64_t>(value);
    } else if (field == "due" && !value.empty()) {
      facts.due = number_of<Time>(value);
    }
  }
  facts.exists = facts.revision != 0;
  std::sort(facts.spec.begin(), facts.spec.end(), [](const auto& a, const auto& b) {
    return place_in_manual(a.first) < place_in_manual(b.first);
  });
  std::sort(facts.kept.begin(), facts.kept.end(), [](const KeptSeason& a, const KeptSeason& b) {
    return a.season.number > b.season.number;
  });
  return facts;
}

const std::string* find_field(const SpecText& spec, std::string_view field) {
  for (const auto& [name, value] : spec) {
    if (name == field) return &value;
  }
  return nullptr;
}

std::size_t shards_of(const SpecText& spec) {
  const std::string* const engine = find_field(spec, "engine");
  const std::string* const shards = find_field(spec, "shards");
  if (engine == nullptr || *engine != "sharded" || shards == nullptr) return 1;
  return std::clamp<std::size_t>(number_of<std::size_t>(*shards), 1, kShardsMax);
}

std::size_t archive_of(const SpecText& spec) {
  const std::string* const archive = find_field(spec, "archive");
  return archive == nullptr ? Spec().archive : number_of<std::size_t>(*archive);
}

std::string kept_field(std::uint64_t season) { return fmt::format("{}{}", kKeptPrefix, season); }

std::string heard_field(std::string_view name) { return std::string(kHeardPrefix).append(name); }

std::string kept_value(const KeptSeason& kept) {
  return fmt::format("{} {} {}", kept.season.started, kept.season.ended.value_or(0),
                     word(kept.ranking));
}

std::string counting_value(std::uint64_t counting) {
  return counting == 0 ? std::string() : std::to_string(counting);
}

std::string due_value(const std::optional<Time>& due) {
  return due ? std::to_string(*due) : std::string();
}

std::string spec_field(std::string_view field) { return fmt::format("{}{}", kSpecPrefix, field); }

void append_spec(const SpecText& spec, Words& words) {
  for (const auto& [field, value] : spec) {
    words.push_back(spec_field(field));
    words.push_back(value);
  }
}

}  // namespace laurel::redis
