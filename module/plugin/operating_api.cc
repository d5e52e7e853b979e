// The C interface for operators of a server: counters, and reloading rules.
#include "plugin/host.h"
#include "registry/counters.h"

namespace laurel {

namespace {

void stats(laurel_boards* boards, laurel_on_counter on_counter, void* context) {
  guarded(nullptr, 0, [&] {
    for (const Counter& counter : counters_of(boards->registry->stats())) {
      on_counter(context, counter.name, counter.value);
    }
    return 0;
  });
}

void script_stats(laurel_scripts* scripts, laurel_on_counter on_counter, void* context) {
  guarded(nullptr, 0, [&] {
    const ScriptStats stats = scripts->host->stats();
    const std::pair<const char*, std::uint64_t> counters[] = {
        {"scripts", stats.scripts}, {"handlers", stats.handlers},       {"timers", stats.timers},
        {"loaded", stats.loaded},   {"load_failed", stats.load_failed}, {"calls", stats.calls},
        {"failed", stats.failed},   {"interrupted", stats.interrupted}, {"emitted", stats.emitted},
    };
    for (const auto& [name, count] : counters) {
      on_counter(context, name, static_cast<double>(count));
    }
    return 0;
  });
}

size_t reload_rules(laurel_boards* boards, laurel_on_rule_error on_error, void* context) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const std::vector<RuleError> failed = boards->registry->reload_rules();
    for (const RuleError& failure : failed) {
      if (on_error != nullptr) on_error(context, failure.rule.c_str(), failure.error.c_str());
    }
    return failed.size();
  });
}

}  // namespace

void fill_operating_api(laurel_api& api) {
  api.stats = stats;
  api.script_stats = script_stats;
  api.reload_rules = reload_rules;
}

}  // namespace laurel
