// metrics_file.h - metrics in a file that is written again and again, whole or not at all, for
// node_exporter's textfile collector.
//
//   beside   the text goes to a file beside it, whose name does not end in .prom, and gets its name
//            when it is on the disk. The mode is 0644, whatever the umask.
//   thread   of its own, which makes the text, and may wait for the disk: post() never waits.
//            Metrics that were not written yet are replaced by the next ones.
//   failure  the old file stays; take_failure() says so once, until they could be written again.
//   end      the destructor waits until the last metrics are written.
//   fork     in a forked child nothing is written, and the destructor frees nothing: the thread is
//            the parent's, and may have been changing anything at the moment of the fork.
//   threads  one caller at a time.
#pragma once

#include <memory>
#include <optional>
#include <string>

#include "base/process/fork_guard.h"
#include "base/result.h"
#include "metrics/metric_set.h"

namespace laurel {

class MetricsFile {
 public:
  // Fails with unavailable if the file's directory does not exist, or no thread can be started.
  static Result<std::unique_ptr<MetricsFile>> open(std::string file);
  ~MetricsFile();
  MetricsFile(const MetricsFile&) = delete;
  MetricsFile& operator=(const MetricsFile&) = delete;

  void post(MetricSet set);
  // A failure that was not taken yet.
  std::optional<Refusal> take_failure();

 private:
  class Writing;

  explicit MetricsFile(std::unique_ptr<Writing> writing);

  ForkGuard fork_;
  std::unique_ptr<Writing> writing_;
};

}  // namespace laurel
