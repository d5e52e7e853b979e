// The C interface's boards: opening, writing, reading.
#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <utility>

#include "base/text.h"
#include "bindings/lua_rules.h"
#include "plugin/host.h"

laurel_boards::laurel_boards(std::unique_ptr<laurel::Registry> opened)
    : registry(std::move(opened)) {}

laurel_boards::~laurel_boards() {
  scripts.clear();  // they hold watches on the registry
  lives.clear();
  (void)registry->close();  // whoever needs to know has called flush
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
    if (const Status taken = take_path(config, options); !taken) {
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

void close(laurel_boards* boards) { delete boards; }

void tick(laurel_boards* boards) {
  guarded(nullptr, 0, [&] {
    tick_scripts(*boards);
    boards->registry->tick();
    return 0;
  });
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
  constexpr std::array<std::pair<const char*, Member>, 8> kWords = {{
      {"engine", &laurel_spec::engine},
      {"order", &laurel_spec::order},
      {"keep", &laurel_spec::keep},
      {"ties", &laurel_spec::ties},
      {"ranking", &laurel_spec::ranking},
      {"join", &laurel_spec::join},
      {"rule", &laurel_spec::rule},
      {"meta", &laurel_spec::meta},
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
    const Result<BoardHandle> handle = boards->registry->open(name, change);
    if (!handle) return tell(error, handle.refusal());
    *out = {handle->slot, handle->generation};
    return commit(*boards, error);
  });
}

int32_t find(laurel_boards* boards, const char* name, laurel_board* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const std::optional<BoardHandle> handle = boards->registry->find(name);
    if (!handle) return 0;
    if (out != nullptr) *out = {handle->slot, handle->generation};
    return 1;
  });
}

int32_t drop(laurel_boards* boards, const char* name) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Result<bool> dropped = boards->registry->drop(name);
    return dropped && *dropped && boards->registry->commit();
  });
}

Board* to_board(const laurel_boards* boards, laurel_board handle) {
  return boards->registry->get({handle.slot, handle.generation});
}

// ---- writing

Submission to_submission(const char* player, double score, const laurel_details* details) {
  Submission submission{.player = player == nullptr ? "" : player, .score = score};
  if (has_member(details, &laurel_details::data_size) && details->data != nullptr) {
    submission.data = {static_cast<const char*>(details->data), details->data_size};
  }
  if (has_member(details, &laurel_details::has_at) && details->has_at != 0) {
    submission.at = seconds_from_time(details->at);
  }
  return submission;
}

// One way of handing in a result, with the C interface's ways of answering.
template <typename Write>
laurel_code write(laurel_boards* boards, laurel_board handle, laurel_outcome* out,
                  laurel_error* error, Write write_to) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error);
    const Result<Outcome> outcome = write_to(*board);
    if (!outcome) return tell(error, outcome.refusal());
    if (out != nullptr) {
      constexpr double kNotShown = std::numeric_limits<double>::quiet_NaN();
      *out = {outcome->score.value_or(kNotShown), outcome->changed, outcome->score.has_value()};
    }
    return commit(*boards, error);
  });
}

laurel_code submit(laurel_boards* boards, laurel_board handle, const char* player, double score,
                   const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error, [&](Board& board) {
    return board.submit(Act::submit, to_submission(player, score, details));
  });
}

laurel_code add(laurel_boards* boards, laurel_board handle, const char* player, double difference,
                const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error, [&](Board& board) {
    return board.submit(Act::add, to_submission(player, difference, details));
  });
}

laurel_code set(laurel_boards* boards, laurel_board handle, const char* player, double score,
                const laurel_details* details, laurel_outcome* out, laurel_error* error) {
  return write(boards, handle, out, error,
               [&](Board& board) { return board.set(to_submission(player, score, details)); });
}

// Several threads may be in here at once: nothing of `boards` but the registry is touched, and that
// is only read.
size_t submit_all(laurel_boards* boards, laurel_board handle, laurel_result* results,
                  size_t count) {
  const std::span<laurel_result> batch(results, count);
  const auto answer_all = [&batch](laurel_code code) {
    for (laurel_result& result : batch) result.code = code;
  };
  answer_all(LAUREL_UNAVAILABLE);  // unless the end is reached
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    Board* board = boards->registry->peek({handle.slot, handle.generation});
    if (board == nullptr) {
      answer_all(LAUREL_UNKNOWN);
      return 0;
    }
    std::vector<Submission> submissions;
    submissions.reserve(count);
    for (const laurel_result& result : batch) {
      submissions.push_back(to_submission(result.player, result.score, nullptr));
    }
    std::vector<laurel_code> codes(count, LAUREL_OK);
    const std::size_t changed =
        board->submit_all(submissions, [&codes](std::size_t index, const Refusal& refusal) {
          codes[index] = tell(nullptr, refusal);
        });
    const bool kept = changed == 0 || static_cast<bool>(boards->registry->commit());
    for (std::size_t i = 0; i < count; ++i) batch[i].code = kept ? codes[i] : LAUREL_UNAVAILABLE;
    return changed;
  });
}

int32_t remove(laurel_boards* boards, laurel_board handle, const char* player) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    Board* board = to_board(boards, handle);
    if (board == nullptr || player == nullptr) return 0;
    const Result<bool> removed = board->remove(player);
    return removed && *removed && boards->registry->commit();
  });
}

template <Result<bool> (Board::*change)(std::string_view)>
laurel_code change_player(laurel_boards* boards, laurel_board handle, const char* player,
                          laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error);
    const Result<bool> changed = (board->*change)(player == nullptr ? "" : player);
    return changed ? commit(*boards, error) : tell(error, changed.refusal());
  });
}

laurel_code join(laurel_boards* boards, laurel_board handle, const char* player,
                 laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    Board* board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error);
    const Result<bool> joined = board->join(to_submission(player, 0, nullptr), false);
    return joined ? commit(*boards, error) : tell(error, joined.refusal());
  });
}

// ---- reading

uint64_t size(laurel_boards* boards, laurel_board handle) {
  const Board* board = to_board(boards, handle);
  return board == nullptr ? 0 : board->size();
}

int32_t score(laurel_boards* boards, laurel_board handle, const char* player, double* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* board = to_board(boards, handle);
    const std::optional<double> held = board ? board->score(player) : std::nullopt;
    if (held && out != nullptr) *out = *held;
    return held.has_value();
  });
}

int32_t rank(laurel_boards* boards, laurel_board handle, const char* player, uint64_t* rank_out,
             uint64_t* size_out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr) return 0;
    const std::optional<Standing> standing = board->rank(player, std::nullopt);
    if (!standing) return 0;
    if (rank_out != nullptr) *rank_out = standing->rank;
    if (size_out != nullptr) *size_out = standing->size;
    return 1;
  });
}

size_t page(laurel_boards* boards, laurel_board handle, uint64_t first, laurel_board_entry* out,
            size_t n) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr) return 0;
    boards->entries.clear();
    board->read(first_to_index(first), n, boards->entries);
    return hand_out(boards->entries, out);
  });
}

size_t around(laurel_boards* boards, laurel_board handle, const char* player, size_t n,
              laurel_board_entry* out) {
  return guarded(nullptr, size_t{0}, [&]() -> size_t {
    const Board* board = to_board(boards, handle);
    if (board == nullptr || player == nullptr) return 0;
    boards->entries.clear();
    board->around(player, n, boards->entries);
    return hand_out(boards->entries, out);
  });
}

size_t top(laurel_boards* boards, laurel_board handle, laurel_board_entry* out, size_t n) {
  return page(boards, handle, 1, out, n);
}

}  // namespace

void fill_boards_api(laurel_api& api) {
  api.open = open;
  api.close = close;
  api.tick = tick;
  api.board = board;
  api.find = find;
  api.drop = drop;
  api.submit = submit;
  api.add = add;
  api.set = set;
  api.submit_all = submit_all;
  api.remove = remove;
  api.join = join;
  api.leave = change_player<&Board::leave>;
  api.ban = change_player<&Board::ban>;
  api.unban = change_player<&Board::unban>;
  api.size = size;
  api.score = score;
  api.rank = rank;
  api.top = top;
  api.page = page;
  api.around = around;
}

}  // namespace laurel
