#include "bindings/sandbox/sandbox.h"

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <cstring>
#include <new>

#include <fmt/core.h>

#include "base/limits.h"
#include "base/text.h"
#include "bindings/lua/versions.h"

namespace laurel {

namespace {

// The limit of garbage collection after a call, about 40 us; four times as much after a call that
// was refused memory.
constexpr std::uint64_t kCollectTicks = 100'000;
// Lua collects when this much garbage has accumulated, or as much as the state holds, if that is
// more. Marking a small state takes about 5 us, whatever the amount of garbage; more garbage than
// this would not fit into the cache.
constexpr std::size_t kGarbageBytes = std::size_t{192} << 10;
// The key of the state's meter in the registry: the hook only gets the state.
char meter_key;

void give_back(SmallBlockPool& blocks, void* block, std::size_t size) {
  if (blocks.owns(block)) {
    blocks.give_back(block, size);
  } else {
    std::free(block);
  }
}

// As realloc: returns null if memory runs out; then the block is unchanged.
void* resize(SmallBlockPool& blocks, void* block, std::size_t old_size, std::size_t new_size) {
  if (block == nullptr || !blocks.owns(block)) {
    void* const small = block == nullptr ? blocks.take(new_size) : nullptr;
    return small != nullptr ? small : std::realloc(block, new_size);
  }
  if (SmallBlockPool::alike(old_size, new_size)) return block;
  void* moved = blocks.take(new_size);
  if (moved == nullptr) moved = std::malloc(new_size);
  if (moved == nullptr) return nullptr;
  std::memcpy(moved, block, std::min(old_size, new_size));
  blocks.give_back(block, old_size);
  return moved;
}

int open_libraries(lua_State* L) {
  open_library(L, kBaseLibrary, luaopen_base);
  open_library(L, "math", luaopen_math);
  open_text_arithmetic(L);
  set_small_gc_steps(L);

  // Last, since opening some libraries turns the compiler on. Plain Lua does not have this table.
  lua_getglobal(L, "jit");
  if (lua_istable(L, -1)) {
    lua_getfield(L, -1, "off");
    lua_call(L, 0, 0);
  }
  lua_settop(L, 0);
  return 0;
}

}  // namespace

RuleState::RuleState(Metering wanted, std::int64_t time_ns) : metering_(wanted), time_ns_(time_ns) {
  // A LuaJIT that accepts no allocator writes that to standard error at each attempt.
  static std::atomic<bool> takes_allocator = true;
  if (wanted == Metering::by_allocator && takes_allocator) {
    lua_ = lua_newstate(allocate, &meter_);
    takes_allocator = lua_ != nullptr;
  }
  if (lua_ == nullptr) {
    metering_ = Metering::by_collector;
    lua_ = luaL_newstate();
  }
  if (lua_ == nullptr) throw std::bad_alloc();
  meter_.lua = lua_;

  lua_pushlightuserdata(lua_, &meter_key);
  lua_pushlightuserdata(lua_, &meter_);
  lua_rawset(lua_, LUA_REGISTRYINDEX);
  if (call_protected(lua_, open_libraries, nullptr) != 0) {
    lua_close(lua_);
    throw std::bad_alloc();  // open_libraries has no other errors
  }
}

RuleState::~RuleState() { lua_close(lua_); }

void* RuleState::allocate(void* meter, void* block, std::size_t told_size, std::size_t new_size) {
  const std::size_t old_size = old_size_of(block, told_size);
  auto& m = *static_cast<Meter*>(meter);
  if (new_size == 0) {
    m.held -= old_size;
    give_back(m.blocks, block, old_size);
    return nullptr;
  }
  if (m.running && new_size > old_size) {
    const std::size_t growth = new_size - old_size;
    // If it is asked for again, the first reason stands.
    const bool ends = kRetriesAllocation && m.spent >= Spent::call_bytes;
    const Spent spent = ends ? m.spent : spent_by(m, growth, new_size);
    if (spent == Spent::nothing) {
      m.allowed -= growth;
    } else {
      m.spent = spent;
      if (!grant(m, growth)) return nullptr;
    }
  }
  void* const moved = resize(m.blocks, block, old_size, new_size);
  if (moved != nullptr) m.held += new_size - old_size;  // modulo 2^n: also right if it shrinks
  return moved;
}

// Which limit of memory is reached by a block that grows.
RuleState::Spent RuleState::spent_by(const Meter& m, std::size_t growth, std::size_t new_size) {
  if (new_size > kRuleBlockBytesMax && !m.compiling) return Spent::block_bytes;
  const std::size_t held = m.held + growth;
  if (held > kRuleStateBytesMax + kRuleOverdraftBytes) return Spent::state_bytes;
  if (held > kRuleStateBytesMax && m.allowed < m.small_until + growth) return Spent::state_bytes;
  return growth > m.allowed ? Spent::call_bytes : Spent::nothing;
}

// Whether a block is given although a limit is reached. Then the call ends at its next instruction.
bool RuleState::grant(Meter& m, std::size_t growth) {
  constexpr std::size_t kMost = kRuleStateBytesMax + kRuleOverdraftBytes + kRuleGrantBytesMax;
  if (!kRetriesAllocation || m.granted + growth > kRuleGrantBytesMax) return false;
  if (m.held + growth > kMost) return false;
  m.granted += growth;
  m.stride = 1;
  lua_sethook(m.lua, on_count, LUA_MASKCOUNT, 1);
  return true;
}

RuleState::Meter& RuleState::meter_of(lua_State* L) {
  void* of_allocator = nullptr;
  if (lua_getallocf(L, &of_allocator) == allocate) return *static_cast<Meter*>(of_allocator);
  lua_pushlightuserdata(L, &meter_key);
  lua_rawget(L, LUA_REGISTRYINDEX);
  auto* const meter = static_cast<Meter*>(lua_touserdata(L, -1));
  lua_pop(L, 1);
  return *meter;
}

// Ends the call with an error. The position is on top of the stack; meter.spent is the reason.
void RuleState::end_call(lua_State* L, Meter& meter) {
  if (meter.ended_with < 0) meter.ended_with = std::max<std::int64_t>(meter.instructions, 0);
  meter.instructions = 0;
  meter.stride = 1;  // code that catches the error is ended at its next instruction
  lua_sethook(L, on_count, LUA_MASKCOUNT, 1);
  lua_error(L);
  std::abort();  // lua_error does not return
}

void RuleState::charge(lua_State* L, int units) {
  Meter& meter = meter_of(L);
  meter.instructions -= units;
  if (!meter.running || meter.instructions > 0) return;
  meter.spent = Spent::instructions;
  luaL_where(L, 1);
  end_call(L, meter);
}

// Counts what ran since the last check. It is subtracted only at instructions that do not depend on
// when the time is checked: what charge() compares is then the same in every run.
void RuleState::count(Meter& m) {
  m.uncounted += m.stride;
  if (m.uncounted < m.counted_every) return;
  m.instructions -= m.uncounted;
  m.uncounted = 0;
  m.counted_every = static_cast<int>(std::clamp<std::int64_t>(m.instructions, 1, kNormalStride));
}

void RuleState::on_count(lua_State* L, lua_Debug* where) {
  Meter& meter = meter_of(L);
  count(meter);
  if (meter.spent >= Spent::call_bytes) {  // by a block that was granted
    lua_pushnil(L);                        // a message would need memory
    end_call(L, meter);
  }
  if (meter.instructions <= 0) {
    meter.spent = Spent::instructions;
  } else if (meter.clock->is_up(ticks_now())) {
    meter.spent = Spent::time;
  } else {
    if (meter.start != 0) {  // by the collector
      const auto held = static_cast<std::size_t>(lua_gc(L, LUA_GCCOUNT, 0)) * 1024;
      if (held > kRuleStateBytesMax + kRuleOverdraftBytes ||
          (held > kRuleStateBytesMax && held > meter.start + kRuleSmallCallBytes)) {
        meter.spent = Spent::state_bytes;
      }
      if (held > meter.start + meter.allowed) meter.spent = Spent::call_bytes;
    }
    if (meter.spent == Spent::nothing) {
      const int stride = std::min(meter.clock->stride(kRuleInstructionsMax - meter.instructions),
                                  meter.counted_every - meter.uncounted);
      if (stride != meter.stride) {
        meter.stride = stride;
        lua_sethook(L, on_count, LUA_MASKCOUNT, stride);
      }
      return;
    }
  }
  lua_getinfo(L, "Sl", where);
  lua_pushfstring(L, "%s:%d: ", where->short_src, where->currentline);
  end_call(L, meter);
}

bool RuleState::call(int arguments, int results, Allowance allowance) {
  const bool loads = allowance == Allowance::whole_state;
  allowance_ = loads ? kRuleStateBytesMax : kRuleCallBytesMax;
  times_ = loads ? kLoadTimes : 1;
  meter_.clock = loads ? &meter_.of_loads : &meter_.of_calls;
  meter_.allowed = allowance_;
  meter_.small_until = allowance_ - kRuleSmallCallBytes;
  meter_.instructions = kRuleInstructionsMax;
  meter_.uncounted = 0;
  meter_.counted_every = kInitialStride;
  meter_.ended_with = -1;
  meter_.spent = Spent::nothing;
  meter_.granted = 0;
  meter_.compiling = false;
  if (metering_ == Metering::by_collector) {
    meter_.start = bytes();
    // If a collection cycle runs, what the call allocates is added to the collector's debt, and the
    // next step would work it off at once.
    if (cycles_ > 0) lua_gc(lua_, LUA_GCSTOP, 0);
  }
  meter_.stride = meter_.clock->first_stride();
  const std::uint64_t began = ticks_now();
  meter_.clock->begin(times_ * time_ns_, began);
  lua_sethook(lua_, on_count, LUA_MASKCOUNT, meter_.stride);

  meter_.running = true;
  int status = lua_pcall(lua_, arguments, results, 0);
  meter_.running = false;
  if (status == 0 && meter_.granted > 0) {  // its last instruction reached a limit
    lua_pop(lua_, results);
    lua_pushnil(lua_);
    status = LUA_ERRMEM;
  }
  const std::int64_t left = meter_.ended_with < 0 ? meter_.instructions : meter_.ended_with;
  const std::uint64_t ended = ticks_now();
  meter_.clock->end(kRuleInstructionsMax - left, ended);
  ticks_ = ended - began;
  const bool lacks_memory = meter_.spent == Spent::call_bytes || meter_.spent == Spent::state_bytes;
  if (status != 0) {
    describe_failure();
    lua_pop(lua_, 1);
    // There was no emergency collection: the garbage that filled the memory would stay for long. A
    // cycle that already runs keeps what was made since it began, so another one is needed.
    if (lacks_memory) cycles_ = 2;
  }
  if (metering_ == Metering::by_collector && bytes() > kRuleStateBytesMax + kRuleOverdraftBytes) {
    lua_gc(lua_, LUA_GCCOLLECT, 0);  // it exceeded the limit, and the next call would fail
  } else if (cycles_ > 0 || meter_.held > collect_at_) {
    collect_some(lacks_memory ? 4 * kCollectTicks : kCollectTicks);
  }
  return status == 0;
}

// Lua itself starts a cycle when the state has doubled, which a large state never can. A full
// collection would take milliseconds, so it is done in steps.
void RuleState::collect_some(std::uint64_t most_ticks) {
  cycles_ = std::max(cycles_, 1);
  const std::uint64_t start = ticks_now();
  while (ticks_now() - start < most_ticks) {
    if (lua_gc(lua_, LUA_GCSTEP, 0) == 0 || --cycles_ > 0) continue;
    collect_at_ = std::max(kRuleStateBytesMax / 2, meter_.held + 2 * kRuleCallBytesMax);
    set_gc_pause();
    return;
  }
}

void RuleState::collect_all() {
  lua_gc(lua_, LUA_GCCOLLECT, 0);
  set_gc_pause();
}

void RuleState::set_gc_pause() {
  const std::size_t held = bytes();
  const std::size_t pause = 100 + 100 * std::max(held, kGarbageBytes) / held;
  lua_gc(lua_, LUA_GCSETPAUSE, static_cast<int>(std::min(pause, kGcPauseMax)));
}

int RuleState::compile(lua_State* L, std::string_view text, const char* chunk_name) {
  Meter& meter = meter_of(L);
  meter.compiling = true;
  const int status = load_text(L, text, chunk_name);
  meter.compiling = false;
  meter.clock->restart(ticks_now());
  return status;
}

void RuleState::describe_failure() {
  // Only strings: to convert other values allocates, and this is not a protected call.
  std::string_view text;
  if (lua_type(lua_, -1) == LUA_TSTRING) {
    std::size_t size = 0;
    const char* const bytes = lua_tolstring(lua_, -1, &size);
    text = {bytes, size};
  }
  // Errors of the hook and of charge() have a position; Lua's "not enough memory" has none.
  const bool has_place = metering_ == Metering::by_collector ||
                         meter_.spent == Spent::instructions || meter_.spent == Spent::time;
  const std::string place = has_place ? escaped(text) : std::string();
  switch (meter_.spent) {
    case Spent::instructions:
      failure_ =
          fmt::format("{}more than {} instructions in one call", place, kRuleInstructionsMax);
      return;
    case Spent::call_bytes:
      failure_ = fmt::format("{}more than {} bytes allocated in one call", place, allowance_);
      return;
    case Spent::state_bytes:
      failure_ = fmt::format("{}more than {} bytes held", place, kRuleStateBytesMax);
      return;
    case Spent::block_bytes:
      failure_ =
          fmt::format("{}more than {} bytes in one text or table", place, kRuleBlockBytesMax);
      return;
    case Spent::time:
      failure_ = fmt::format(
          "{}more than {:.1f} ms in one call: long texts, large tables or many "
          "arguments",
          place, static_cast<double>(times_ * kRuleCallNsMax) / 1e6);
      return;
    case Spent::nothing: break;
  }
  if (lua_type(lua_, -1) == LUA_TNUMBER) {
    failure_ = fmt::format("error {}", lua_tonumber(lua_, -1));
  } else if (lua_type(lua_, -1) != LUA_TSTRING) {
    failure_ = fmt::format("an error that is no text but a {} value", luaL_typename(lua_, -1));
  } else {
    failure_ = escaped(text, kRefusalBytesMax);
  }
}

std::size_t RuleState::bytes() const {
  if (metering_ == Metering::by_allocator) return meter_.held;
  return static_cast<std::size_t>(lua_gc(lua_, LUA_GCCOUNT, 0)) * 1024 +
         static_cast<std::size_t>(lua_gc(lua_, LUA_GCCOUNTB, 0));
}

}  // namespace laurel
