#include "bindings/scripts/script_host.h"

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/scripts/script_runner.h"

namespace laurel {

namespace {

bool is_script_name(std::string_view name) {
  // Editors use names that begin with a dot for lock files and unfinished copies.
  return name.ends_with(".lua") && !name.starts_with('.');
}

}  // namespace

Result<std::unique_ptr<ScriptHost>> ScriptHost::open(Registry& registry,
                                                     ScriptHostOptions options) {
  const std::uint64_t budget = options.instructions;
  if (budget != 0 && (budget < kScriptInstructionsMin || budget > kScriptInstructionsMax)) {
    return Refusal(Code::invalid,
                   "field 'instructions' is {}; it takes {} to {}, or 0 for no budget", budget,
                   kScriptInstructionsMin, kScriptInstructionsMax);
  }
  SystemClock system;
  const Time now = options.clock != nullptr ? options.clock->now() : system.now();
  auto runner = ScriptRunner::open(registry, options.log, std::move(options.on_emit), now, budget);
  if (!runner) return runner.refusal();
  std::unique_ptr<ScriptHost> host(new ScriptHost(std::move(options), std::move(*runner)));
  host->names_.may_have_changed();
  if (const Status listed = host->list(); !listed) return listed.refusal();
  for (std::size_t i = 0; i < host->scripts_.size(); ++i) host->take_news(host->scripts_[i]);
  return host;
}

ScriptHost::ScriptHost(ScriptHostOptions options, std::unique_ptr<ScriptRunner> runner)
    : directory_(std::move(options.directory)),
      label_(last_name(directory_)),
      log_(std::move(options.log)),
      names_(directory_),
      runner_(std::move(runner)) {}

ScriptHost::~ScriptHost() = default;

std::size_t ScriptHost::emit(std::string_view event, std::span<const EventValue> values) {
  return runner_->emit(event, values);
}

void ScriptHost::tick(Time now) {
  if (runner_->running()) return;
  runner_->set_now(now);
  reload();
  runner_->run_timers();
}

// Updates the list of scripts from the directory: adds new scripts, ends those whose file is gone.
Status ScriptHost::list() {
  std::vector<std::string> names;
  std::error_code error;
  std::filesystem::directory_iterator entry(directory_, error);
  for (; !error && entry != std::filesystem::directory_iterator(); entry.increment(error)) {
    std::string name = entry->path().filename().string();
    std::error_code unknown;
    if (is_script_name(name) && !entry->is_directory(unknown)) names.push_back(std::move(name));
  }
  if (error) {
    return Refusal(Code::unavailable, "the scripts in \"{}\" cannot be read: {}",
                   escaped(directory_), error.message());
  }
  std::ranges::sort(names);
  if (names.size() > kScriptsMax) {
    if (!std::exchange(too_many_, true)) {
      log_.error("{}: {} scripts; those after the first {} are not run", escaped(label_),
                 names.size(), kScriptsMax);
    }
    names.resize(kScriptsMax);
  }

  std::erase_if(scripts_, [&](const Script& script) {
    if (std::ranges::binary_search(names, script.name)) return false;
    if (script.version) runner_->end(*script.version);
    log_.info("{}: ended, since its file is gone", escaped(place(script)));
    return true;
  });
  for (std::string& name : names) {
    const auto at = std::ranges::lower_bound(scripts_, name, {}, &Script::name);
    if (at != scripts_.end() && at->name == name) continue;
    FileWatch file(directory_ + "/" + name, kScriptFileBytesMax);
    scripts_.insert(at, {.name = std::move(name), .file = std::move(file), .version = {}});
  }
  return Done{};
}

void ScriptHost::reload() {
  if (names_.may_have_changed()) {
    const Status listed = list();
    // If the directory cannot be read, as a network share sometimes, no script is ended.
    const std::string error(listed ? "" : listed.refusal().message());
    if (error != last_error_ && !listed) log_.error("{}; the running scripts continue", error);
    last_error_ = error;
    if (!listed) return;
  }
  for (std::size_t i = 0; i < scripts_.size();) {
    if (take_news(scripts_[i]))
      ++i;
    else
      scripts_.erase(scripts_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

// Loads the script if its file changed. Returns false if the file is gone and the script has ended.
bool ScriptHost::take_news(Script& script) {
  switch (script.file.poll()) {
    case FileNews::same: return true;
    case FileNews::gone:
      if (script.version) runner_->end(*script.version);
      log_.info("{}: ended, since its file is gone", escaped(place(script)));
      return false;
    case FileNews::unreadable:
      ++load_failed_;
      log_.error("{}: {}", escaped(place(script)), script.file.problem());
      return true;
    case FileNews::changed: break;
  }
  const auto loaded = runner_->load(place(script), script.file.content(), script.version);
  if (!loaded) {
    ++load_failed_;
    if (script.version) log_.error("{}: the version before runs on", escaped(place(script)));
    return true;
  }
  log_.info("{}: {}", escaped(place(script)), script.version ? "reloaded" : "loaded");
  script.version = *loaded;
  return true;
}

ScriptStats ScriptHost::stats() const {
  ScriptStats stats = runner_->stats();
  stats.load_failed = load_failed_;
  return stats;
}

}  // namespace laurel
