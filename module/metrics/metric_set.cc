#include "metrics/metric_set.h"

#include <algorithm>
#include <array>
#include <cassert>
#include <cstdint>
#include <iterator>
#include <tuple>

#include <fmt/core.h>

#include "base/encoding.h"

namespace laurel {

namespace {

constexpr std::array<std::string_view, 3> kTypeWords = {"gauge", "counter", "histogram"};

// The size of the character that the text begins with; 0 if it begins with none.
std::size_t character_size(std::string_view text) {
  constexpr std::size_t kSizeMax = 4;
  for (std::size_t size = 1; size <= std::min(kSizeMax, text.size()); ++size) {
    if (is_utf8(text.substr(0, size))) return size;
  }
  return 0;
}

// Appends text with the escapes that the value of a label has.
void append_escaped(std::string& out, std::string_view text) {
  const auto is_escaped = [](char c) { return c == '\\' || c == '"' || c == '\n'; };
  while (!text.empty()) {
    const auto plain =
        static_cast<std::size_t>(std::ranges::find_if(text, is_escaped) - text.begin());
    out.append(text.substr(0, plain));
    if (plain == text.size()) return;
    switch (text[plain]) {
      case '\\': out += "\\\\"; break;
      case '"': out += "\\\""; break;
      default: out += "\\n";
    }
    text.remove_prefix(plain + 1);
  }
}

void append_label(std::string& out, std::string_view name, std::string_view value) {
  out.append(name).append("=\"");
  const bool is_text = is_utf8(value);
  while (!value.empty()) {
    const std::size_t size = is_text ? value.size() : character_size(value);
    if (size == 0) {
      fmt::format_to(std::back_inserter(out), "\\\\x{:02x}",
                     static_cast<unsigned char>(value.front()));
    } else {
      append_escaped(out, value.substr(0, size));
    }
    value.remove_prefix(std::max<std::size_t>(size, 1));
  }
  out += '"';
}

void append_line(std::string& out, std::string_view name, std::string_view suffix,
                 std::string_view labels, double value) {
  out.append(name).append(suffix);
  if (!labels.empty()) out.append("{").append(labels).append("}");
  fmt::format_to(std::back_inserter(out), " {}\n", value);
}

void append_histogram(std::string& out, std::string_view name, std::string_view labels,
                      const HistogramCounts& histogram) {
  const std::span<const double> bounds = histogram.bounds;
  const std::string before = labels.empty() ? std::string() : fmt::format("{},", labels);
  std::uint64_t count = 0;
  for (std::size_t i = 0; i <= bounds.size(); ++i) {
    count += histogram.counts[i];
    const std::string le =
        i == bounds.size() ? before + "le=\"+Inf\"" : fmt::format("{}le=\"{}\"", before, bounds[i]);
    append_line(out, name, "_bucket", le, static_cast<double>(count));
  }
  append_line(out, name, "_sum", labels, histogram.sum);
  append_line(out, name, "_count", labels, static_cast<double>(count));
}

}  // namespace

MetricSet::Series MetricSet::keep(Family family, Labels labels) {
  const std::size_t at = labels_.size();
  const FamilyFacts& facts = facts_of(family);
  const auto* name = facts.labels.begin();
  for (const std::string_view value : labels) {
    if (labels_.size() > at) labels_ += ',';
    append_label(labels_, *name++, value);
  }
  assert(name == facts.labels.end() || name->empty());
  return {.family = family, .labels_at = at, .labels_size = labels_.size() - at};
}

void MetricSet::add(Family family, Labels labels, double value) {
  values_.push_back({.series = keep(family, labels), .value = value});
}

void MetricSet::add(Family family, Labels labels, const Histogram& histogram) {
  histograms_.push_back({.series = keep(family, labels), .counts = histogram.counts()});
}

void MetricSet::add_counters(const MetricSet& other) {
  for (const Value& each : other.values_) {
    if (facts_of(each.series.family).type != MetricType::counter) continue;
    const std::string_view text = other.labels(each.series);
    const auto found = std::ranges::find_if(values_, [&](const Value& mine) {
      return mine.series.family == each.series.family && labels(mine.series) == text;
    });
    if (found != values_.end()) {
      found->value += each.value;
      continue;
    }
    const Series series{each.series.family, labels_.size(), text.size()};
    labels_.append(text);
    values_.push_back({.series = series, .value = each.value});
  }
}

template <typename Each>
std::vector<const Each*> MetricSet::sorted(const std::vector<Each>& all) const {
  std::vector<const Each*> sorted;
  sorted.reserve(all.size());
  for (const Each& each : all) sorted.push_back(&each);
  std::ranges::sort(sorted, {}, [this](const Each* each) {
    return std::tuple(each->series.family, labels(each->series));
  });
  return sorted;
}

std::string MetricSet::text() const {
  const std::vector<const Value*> values = sorted(values_);
  const std::vector<const Times*> histograms = sorted(histograms_);
  auto value = values.begin();
  auto histogram = histograms.begin();
  std::string out;
  for (std::size_t i = 0; i < kFamilies; ++i) {
    const auto family = static_cast<Family>(i);
    const auto is_next = [family](auto at, const auto& all) {
      return at != all.end() && (*at)->series.family == family;
    };
    if (!is_next(value, values) && !is_next(histogram, histograms)) continue;
    const FamilyFacts& facts = facts_of(family);
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", facts.name, facts.help,
                   facts.name, kTypeWords[static_cast<std::size_t>(facts.type)]);
    while (is_next(value, values)) {
      const std::string_view text = labels((*value)->series);
      double sum = 0;
      for (; is_next(value, values) && labels((*value)->series) == text; ++value) {
        sum += (*value)->value;
      }
      append_line(out, facts.name, "", text, sum);
    }
    for (; is_next(histogram, histograms); ++histogram) {
      append_histogram(out, facts.name, labels((*histogram)->series), (*histogram)->counts);
    }
  }
  return out;
}

}  // namespace laurel
