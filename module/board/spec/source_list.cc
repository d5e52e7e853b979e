#include "board/spec/source_list.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "base/limits.h"
#include "base/text.h"
#include "rank/score/score.h"

namespace laurel {

namespace {

Refusal bad_sources(std::string_view why) {
  return {Code::invalid, "field 'sources': {}; it takes 1 to {} names of boards, or one pattern",
          why, kSourcesMax};
}

std::string with_escapes(std::string_view name) {
  std::string text;
  for (const char c : name) {
    if (c == '\\' || c == ',' || c == '*') text += '\\';
    text += c;
  }
  return text;
}

// Calls visit(part) for each part between commas.
template <typename Visit>
void each_part(std::string_view text, Visit visit) {
  for (;;) {
    const std::size_t end = text.find(',');
    visit(text.substr(0, end));
    if (end == std::string_view::npos) return;
    text.remove_prefix(end + 1);
  }
}

std::string_view without_spaces(std::string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

}  // namespace

Result<SourceList> SourceList::of_names(std::vector<std::string> names) {
  if (names.empty()) return bad_sources("no name is given");
  if (names.size() > kSourcesMax) return bad_sources(fmt::format("{} names", names.size()));
  std::set<std::string_view> known;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kBoardNameBytesMax || name.find('\0') != std::string::npos) {
      return bad_sources(fmt::format("\"{}\" is no name of a board", escaped(name, 64)));
    }
    if (!known.insert(name).second) {
      return bad_sources(fmt::format("\"{}\" is given twice", escaped(name, 64)));
    }
  }
  SourceList list;
  list.names_ = std::move(names);
  return list;
}

Result<SourceList> SourceList::parse(std::string_view text) {
  std::vector<std::string> names(1);
  std::vector<std::string> parts(1);  // of the name that is read, between stars
  bool has_pattern = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool is_plain = text[i] == '\\' && i + 1 < text.size();
    if (is_plain) ++i;
    if (!is_plain && text[i] == ',') {
      names.emplace_back();
      parts.assign(1, "");
    } else if (!is_plain && text[i] == '*') {
      has_pattern = true;
      names.back() += '*';
      parts.emplace_back();
    } else {
      names.back() += text[i];
      parts.back() += text[i];
    }
  }
  if (!has_pattern) return of_names(std::move(names));
  if (names.size() > 1) {
    return bad_sources(fmt::format("\"{}\" has names beside a pattern", escaped(text, 64)));
  }
  if (names[0].size() > kBoardNameBytesMax || text.find('\0') != std::string_view::npos) {
    return bad_sources(fmt::format("\"{}\" fits no name of a board", escaped(text, 64)));
  }
  SourceList list;
  list.is_pattern_ = true;
  list.parts_ = std::move(parts);
  return list;
}

std::string SourceList::text() const {
  std::string text;
  const std::vector<std::string>& pieces = is_pattern_ ? parts_ : names_;
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    if (i > 0) text += is_pattern_ ? '*' : ',';
    text += with_escapes(pieces[i]);
  }
  return text;
}

// Each part between two stars is taken where it comes first: a later place would leave less for the
// parts behind it.
bool SourceList::takes(std::string_view name) const {
  if (!is_pattern_) return std::ranges::find(names_, name) != names_.end();
  const std::string& first = parts_.front();
  const std::string& last = parts_.back();
  if (name.size() < first.size() + last.size()) return false;
  if (!name.starts_with(first) || !name.ends_with(last)) return false;
  name.remove_prefix(first.size());
  name.remove_suffix(last.size());
  for (std::size_t i = 1; i + 1 < parts_.size(); ++i) {
    const std::size_t found = name.find(parts_[i]);
    if (found == std::string_view::npos) return false;
    name.remove_prefix(found + parts_[i].size());
  }
  return true;
}

Result<std::vector<double>> parse_weights(std::string_view text) {
  std::vector<double> weights;
  bool good = true;
  each_part(text, [&](std::string_view part) {
    part = without_spaces(part);
    double weight = 0;
    const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), weight);
    good = good && error == std::errc() && end == part.data() + part.size();
    weights.push_back(weight);
  });
  if (!good) {
    return Refusal(Code::invalid, "field 'weights' is \"{}\"; it takes a number for each source",
                   escaped(text, 64));
  }
  if (const Result<Weights> scaled = scale_weights(weights); !scaled) return scaled.refusal();
  return weights;
}

std::string text_of_weights(std::span<const double> weights) {
  return fmt::format("{}", fmt::join(weights, ","));
}

Result<Weights> scale_weights(std::span<const double> weights) {
  constexpr std::int64_t kScaledWeightMax = 999'999'999;
  static_assert(kWeightDigitsMax == 9);
  if (weights.size() > kSourcesMax) {
    return Refusal(Code::invalid, "field 'weights' has {} numbers; it takes at most {}",
                   weights.size(), kSourcesMax);
  }
  const auto is_exact = [](double weight, int decimals) {
    if (!std::isfinite(weight)) return false;
    const std::optional<std::int64_t> scaled = scaled_decimal(weight, decimals);
    if (!scaled || std::abs(*scaled) > kScaledWeightMax) return false;
    return static_cast<double>(*scaled) / std::pow(10.0, decimals) == weight;
  };
  Weights scaled;
  for (; scaled.decimals <= kDecimalsMax; ++scaled.decimals) {
    const auto fits = [&](double weight) { return is_exact(weight, scaled.decimals); };
    if (!std::ranges::all_of(weights, fits)) continue;
    for (const double weight : weights) {
      scaled.scaled.push_back(*scaled_decimal(weight, scaled.decimals));
    }
    return scaled;
  }
  return Refusal(Code::invalid,
                 "field 'weights' is {}; it takes numbers that have at most {} digits when they "
                 "are written with the same number of decimals",
                 text_of_weights(weights), kWeightDigitsMax);
}

}  // namespace laurel
