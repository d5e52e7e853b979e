// metric_set.h - values of metrics, gathered from all rooms, and their text for Prometheus.
//
//   value    add() copies it, histograms included. What it came from may be gone or changed when
//            the text is made, and another thread may make it.
//   family   its values are written together, with HELP and TYPE once. One without values is left
//            out.
//   sum      values with the same labels are added up: several live channels, for example, are one.
//   text     the exposition format, version 0.0.4. Bytes of a label that are not UTF-8 are written
//            \\xNN; other bytes are kept.
//   order    families as in families.h, values by their labels.
//   threads  one at a time.
//   cost     add: about 0.1 us; text: about 0.5 us a value.
#pragma once

#include <cstddef>
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "metrics/families.h"
#include "metrics/histogram.h"

namespace laurel {

class MetricSet {
 public:
  // Values of the labels, in the order of the family's.
  using Labels = std::initializer_list<std::string_view>;

  void add(Family family, Labels labels, double value);
  void add(Family family, double value) { add(family, {}, value); }
  // REQUIRES: no other histogram of the family has these labels.
  void add(Family family, Labels labels, const Histogram& histogram);

  // Adds the counters of another set to those here; its gauges and histograms are left out.
  void add_counters(const MetricSet& other);

  std::string text() const;

 private:
  // Labels are kept as they are written between the braces, in one string.
  struct Series {
    Family family = Family::up;
    std::size_t labels_at = 0;
    std::size_t labels_size = 0;
  };
  struct Value {
    Series series;
    double value = 0;
  };
  struct Times {
    Series series;
    HistogramCounts counts;
  };

  Series keep(Family family, Labels labels);
  std::string_view labels(const Series& series) const {
    return std::string_view(labels_).substr(series.labels_at, series.labels_size);
  }
  template <typename Each>
  std::vector<const Each*> sorted(const std::vector<Each>& all) const;

  std::string labels_;
  std::vector<Value> values_;
  std::vector<Times> histograms_;
};

}  // namespace laurel
