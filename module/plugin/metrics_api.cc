// The C interface's metrics.
#include "laurel/metrics.h"
#include "plugin/host.h"

namespace laurel {

namespace {

const char* metrics_text(laurel_boards* boards, size_t* size) {
  return guarded(nullptr, static_cast<const char*>(nullptr), [&] {
    boards->metrics = boards->registry->metrics();
    if (size != nullptr) *size = boards->metrics.size();
    return boards->metrics.c_str();
  });
}

}  // namespace

void fill_metrics_api(laurel_api& api) {
  static const laurel_metrics_api metrics{.struct_size = sizeof metrics, .text = metrics_text};
  api.metrics = &metrics;
}

}  // namespace laurel
