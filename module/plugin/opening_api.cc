// The C interface's registry: open, tick and close; boards by name.
#include <algorithm>
#include <array>
#include <cassert>
#include <cmath>
#include <span>
#include <utility>

#include "base/text.h"
#include "bindings/module.h"
#include "bindings/sandbox/rule_registry.h"
#include "board/spec/spec_change.h"
#include "control/control_socket.h"
#include "plugin/host.h"
#include "remote/limits.h"
#include "remote/remote_boards.h"

laurel_boards::laurel_boards(std::unique_ptr<laurel::Registry> opened)
    : registry(std::move(opened)) {}

laurel_boards::~laurel_boards() {
  scripts.clear();  // they hold watches on the registry
  lives.clear();
  (void)registry->close();  // a host that needs the result has called flush
  calls.close();
}

namespace laurel {

namespace {

class HostClock final : public Clock {
 public:
  HostClock(int64_t (*ask)(void*), void* context) : ask_(ask), context_(context) {}
  Time now() override {
    constexpr Time kMax = static_cast<Time>(kTimeSecondsMax) * kSecond;
    return std::clamp<Time>(ask_(context_), -kMax, kMax);
  }

 private:
  int64_t (*ask_)(void*);
  void* context_;
};

Log host_log(void (*log)(void*, int, const char*), void* context) {
  if (log == nullptr) return Log();
  return Log([log, context](Level level, std::string_view line) {
    log(context, static_cast<int>(level), std::string(line).c_str());
  });
}

Status take_path(const laurel_config* config, RegistryOptions& options) {
  constexpr const char* kNone = nullptr;
  options.path = std::string(text_or_empty(member_or(config, &laurel_config::path, kNone)));
  const char* word = member_or(config, &laurel_config::durability, kNone);
  if (word == nullptr) return Done{};
  const std::optional<Durability> durability = durability_from_word(word);
  if (!durability) {
    return Refusal(Code::invalid, "durability is \"{}\"; it takes {}", escaped(word, 64),
                   one_of(kDurabilityWords));
  }
  options.durability = *durability;
  return Done{};
}

Status take_remotes(const laurel_config* config, RegistryOptions& options) {
  const double seconds = member_or(config, &laurel_config::remote_timeout, 0.0);
  constexpr auto kSecondsMax = static_cast<double>(kRemoteTimeoutMax / kSecond);
  if (!(seconds >= 0 && seconds <= kSecondsMax)) {
    return Refusal(Code::invalid, "remote_timeout is {}; it takes seconds up to {}, and 0 for {}",
                   seconds, kSecondsMax, seconds_from_time(kRemoteTimeout));
  }
  const std::size_t count = member_or(config, &laurel_config::remote_count, std::size_t{0});
  if (count == 0) return Done{};
  RemoteOptions remotes;
  if (seconds > 0) {
    remotes.timeout = std::max<Time>(1, std::llround(seconds * static_cast<double>(kSecond)));
  }
  for (const laurel_remote& remote : std::span(config->remotes, count)) {
    const std::string name(text_or_empty(remote.name));
    if (!remotes.urls.emplace(name, text_or_empty(remote.url)).second) {
      return Refusal(Code::invalid, "two remotes are called \"{}\"",
                     escaped(name, kRemoteNameBytesMax));
    }
  }
  Result<std::unique_ptr<RemoteBoards>> opened = RemoteBoards::open(remotes);
  if (!opened) return opened.refusal();
  options.remotes = std::move(*opened);
  return Done{};
}

Status take_metrics(const laurel_config* config, RegistryOptions& options) {
  constexpr const char* kNone = nullptr;
  options.metrics.lua = kLuaVersion;
  options.metrics.file =
      std::string(text_or_empty(member_or(config, &laurel_config::metrics, kNone)));
  const double seconds = member_or(config, &laurel_config::metrics_seconds, 0.0);
  if (seconds == 0) return Done{};
  constexpr auto kSecondsMax = static_cast<double>(kMetricsSecondsMax);
  if (!(seconds >= 1 && seconds <= kSecondsMax)) {
    return Refusal(Code::invalid,
                   "metrics_seconds is {}; it takes seconds from 1 to {}, and 0 for {}", seconds,
                   kSecondsMax, kMetricsSeconds);
  }
  options.metrics.every = std::llround(seconds * static_cast<double>(kSecond));
  return Done{};
}

laurel_boards* open(const laurel_config* config, laurel_error* error) {
  return guarded(error, nullptr, [&] {
    void* const context = member_or(config, &laurel_config::context, static_cast<void*>(nullptr));
    RegistryOptions options;
    options.log =
        host_log(has_member(config, &laurel_config::log) ? config->log : nullptr, context);
    if (has_member(config, &laurel_config::now) && config->now != nullptr) {
      options.clock = std::make_unique<HostClock>(config->now, context);
    }
    if (has_member(config, &laurel_config::rules) && config->rules != nullptr) {
      options.rules = open_lua_rules(config->rules, options.log);
    }
    Status taken = take_path(config, options);
    if (!options.path.empty() && member_or(config, &laurel_config::no_control, 0) == 0) {
      options.control = make_control_socket(options.path);
    }
    if (taken) taken = take_remotes(config, options);
    if (taken) taken = take_metrics(config, options);
    if (!taken) {
      tell(error, taken.refusal());
      return static_cast<laurel_boards*>(nullptr);
    }
    Result<std::unique_ptr<Registry>> registry = Registry::open(std::move(options));
    if (!registry) {
      tell(error, registry.refusal());
      return static_cast<laurel_boards*>(nullptr);
    }
    tell_ok(error);
    return new laurel_boards(std::move(*registry));
  });
}

void close(laurel_boards* boards) {
  assert((boards == nullptr || !boards->ticking) &&
         "a callback must not close the boards that it belongs to");
  delete boards;
}

void tick(laurel_boards* boards) {
  if (boards->ticking) return;
  boards->ticking = true;
  guarded(nullptr, 0, [&] {
    tick_scripts(*boards);
    boards->registry->tick();
    boards->calls.tick();
    return 0;
  });
  boards->ticking = false;
}

// ---- boards

Status take_fields(const laurel_spec* spec, SpecChange& change) {
  if (!has_member(spec, &laurel_spec::field_count)) return Done{};
  for (const laurel_field& field : std::span(spec->fields, spec->field_count)) {
    const FieldValue value =
        field.text != nullptr ? FieldValue(std::string_view(field.text)) : FieldValue(field.number);
    if (Status taken = change.set(field.name == nullptr ? "" : field.name, value); !taken) {
      return taken;
    }
  }
  return Done{};
}

Status take_spec(const laurel_spec* spec, SpecChange& change) {
  using Member = const char* laurel_spec::*;
  constexpr std::array<std::pair<const char*, Member>, 9> kWords = {{
      {"engine", &laurel_spec::engine},
      {"order", &laurel_spec::order},
      {"keep", &laurel_spec::keep},
      {"ties", &laurel_spec::ties},
      {"ranking", &laurel_spec::ranking},
      {"join", &laurel_spec::join},
      {"rule", &laurel_spec::rule},
      {"meta", &laurel_spec::meta},
      {"remote", &laurel_spec::remote},
  }};
  for (const auto& [field, member] : kWords) {
    const char* word = member_or(spec, member, static_cast<const char*>(nullptr));
    if (word == nullptr) continue;
    if (Status taken = change.set(field, std::string_view(word)); !taken) return taken;
  }
  if (const char* digit =
          member_or(spec, &laurel_spec::decimals, static_cast<const char*>(nullptr))) {
    const bool one_digit = digit[0] >= '0' && digit[0] <= '9' && digit[1] == '\0';
    const FieldValue value =
        one_digit ? FieldValue(double(digit[0] - '0')) : FieldValue(std::string_view(digit));
    if (Status taken = change.set("decimals", value); !taken) return taken;
  }
  constexpr std::array<std::pair<const char*, int64_t laurel_spec::*>, 2> kTimes = {
      {{"opens", &laurel_spec::opens}, {"closes", &laurel_spec::closes}}};
  for (const auto& [field, member] : kTimes) {
    const int64_t time = member_or(spec, member, int64_t{0});
    if (time == 0) continue;
    if (Status taken = change.set(field, seconds_from_time(time)); !taken) return taken;
  }
  return take_fields(spec, change);
}

laurel_code board(laurel_boards* boards, const char* name, const laurel_spec* spec,
                  laurel_board* out, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (name == nullptr || out == nullptr) {
      return tell(error, LAUREL_INVALID, "invalid: name and out are needed");
    }
    SpecChange change;
    if (const Status taken = take_spec(spec, change); !taken) return tell(error, taken.refusal());
    Registry& registry = *boards->registry;
    if (const Status known = registry.check_rule(change); !known) {
      return tell(error, known.refusal());
    }
    RemoteBoards* const remotes = RemoteBoards::where(registry, name, change);
    const Result<BoardHandle> handle =
        remotes != nullptr ? remotes->open(name, change) : registry.open(name, change);
    if (!handle) return tell(error, handle.refusal());
    *out = remotes != nullptr ? to_remote_handle(*handle)
                              : laurel_board{handle->slot, handle->generation};
    return commit(*boards, error);
  });
}

int32_t find(laurel_boards* boards, const char* name, laurel_board* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Registry& registry = *boards->registry;
    const RemoteBoards* const remotes = RemoteBoards::of(registry);
    const bool remote = remotes != nullptr && remotes->has(name);
    const std::optional<BoardHandle> handle = remote ? remotes->find(name) : registry.find(name);
    if (!handle) return 0;
    if (out != nullptr) {
      *out = remote ? to_remote_handle(*handle) : laurel_board{handle->slot, handle->generation};
    }
    return 1;
  });
}

int32_t drop(laurel_boards* boards, const char* name) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Result<bool> dropped = boards->registry->drop(name);
    return dropped && *dropped && boards->registry->commit();
  });
}

}  // namespace

void fill_opening_api(laurel_api& api) {
  api.open = open;
  api.close = close;
  api.tick = tick;
  api.board = board;
  api.find = find;
  api.drop = drop;
}

}  // namespace laurel
