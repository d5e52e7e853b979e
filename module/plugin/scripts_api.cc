// The C interface's hosted scripts: directories of gameplay scripts.
#include <array>

#include "base/limits.h"
#include "plugin/host.h"

namespace laurel {

namespace {

using OnEmitFunction = void (*)(void*, const char*, const laurel_value*, size_t);

laurel_value to_c(const EventValue& value) {
  if (const double* number = std::get_if<double>(&value)) {
    return {.type = LAUREL_NUMBER, .number = *number, .string = nullptr, .string_size = 0};
  }
  if (const bool* truth = std::get_if<bool>(&value)) {
    return {
        .type = LAUREL_BOOLEAN, .number = *truth ? 1.0 : 0.0, .string = nullptr, .string_size = 0};
  }
  const auto& text = std::get<std::string_view>(value);
  return {.type = LAUREL_STRING, .number = 0, .string = text.data(), .string_size = text.size()};
}

EventValue from_c(const laurel_value& value) {
  switch (value.type) {
    case LAUREL_NUMBER: return value.number;
    case LAUREL_BOOLEAN: return value.number != 0;
    default: return std::string_view(value.string, value.string_size);
  }
}

OnEmit host_on_emit(OnEmitFunction on_emit, void* context) {
  if (on_emit == nullptr) return {};
  return [on_emit, context](std::string_view event, std::span<const EventValue> values) {
    std::array<laurel_value, kEventValuesMax> handed;
    for (std::size_t i = 0; i < values.size(); ++i) handed[i] = to_c(values[i]);
    on_emit(context, std::string(event).c_str(), handed.data(), values.size());
  };
}

laurel_scripts* host_scripts(laurel_boards* boards, const laurel_scripts_config* config,
                             laurel_error* error) {
  return guarded(error, nullptr, [&]() -> laurel_scripts* {
    using Config = laurel_scripts_config;
    const char* directory =
        member_or(config, &Config::directory, static_cast<const char*>(nullptr));
    if (directory == nullptr) {
      tell(error, LAUREL_INVALID, "invalid: a directory is needed");
      return nullptr;
    }
    const bool hears = has_member(config, &Config::on_emit);
    Result<std::unique_ptr<ScriptHost>> host = ScriptHost::open(
        *boards->registry, {.directory = directory,
                            .log = boards->registry->log(),
                            .on_emit = host_on_emit(hears ? config->on_emit : nullptr,
                                                    hears ? config->context : nullptr),
                            .clock = &boards->registry->clock(),
                            .instructions = member_or(config, &Config::instructions, uint64_t{0})});
    if (!host) {
      tell(error, host.refusal());
      return nullptr;
    }
    auto scripts = std::make_unique<laurel_scripts>();
    scripts->boards = boards;
    scripts->host = std::move(*host);
    boards->scripts.push_back(std::move(scripts));
    tell_ok(error);
    return boards->scripts.back().get();
  });
}

void scripts_close(laurel_scripts* scripts) {
  if (scripts == nullptr) return;
  guarded(nullptr, 0, [&] {
    std::erase_if(scripts->boards->scripts,
                  [&](const auto& each) { return each.get() == scripts; });
    return 0;
  });
}

size_t emit(laurel_scripts* scripts, const char* event, const laurel_value* values, size_t count) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    if (count > kEventValuesMax) {
      scripts->boards->registry->log().warn("event \"{}\" has {} values; at most {} are allowed",
                                            event, count, kEventValuesMax);
      return 0;
    }
    std::array<EventValue, kEventValuesMax> handed;
    for (std::size_t i = 0; i < count; ++i) handed[i] = from_c(values[i]);
    return scripts->host->emit(event, std::span(handed).first(count));
  });
}

}  // namespace

void tick_scripts(laurel_boards& boards) {
  const Time now = boards.registry->clock().now();
  // By index, because on_emit may host more scripts.
  for (std::size_t i = 0; i < boards.scripts.size(); ++i) boards.scripts[i]->host->tick(now);
}

void fill_scripts_api(laurel_api& api) {
  api.host_scripts = host_scripts;
  api.scripts_close = scripts_close;
  api.emit = emit;
}

}  // namespace laurel
