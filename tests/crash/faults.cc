#include "faults.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <dlfcn.h>
#include <fcntl.h>
#include <mutex>
#include <optional>
#include <string_view>
#include <sys/mman.h>
#include <sys/uio.h>
#include <unistd.h>
#include <utility>

namespace laurel::crash {

namespace {

constexpr std::uint64_t kHeadBytes = 2 * 4096;

template <typename Function>
Function* system_call(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

bool is_of_store(int descriptor) {
  std::array<char, 64> link{};
  std::array<char, 4096> path{};
  std::snprintf(link.data(), link.size(), "/proc/self/fd/%d", descriptor);
  const ssize_t size = ::readlink(link.data(), path.data(), path.size());
  if (size <= 0) return false;
  const std::string_view name(path.data(), static_cast<std::size_t>(size));
  return name.ends_with("/laurel.mdb") || name.ends_with("/laurel.mdb.empty") ||
         name.ends_with("/laurel.mdb.new");
}

struct State {
  std::mutex mutex;
  std::condition_variable changed;
  std::optional<Fault> fault;
  std::uint64_t seen = 0;  // calls of the fault's kind
  bool struck = false;
  std::optional<Call> held;
  int waiting = 0;
  bool records = false;
  std::vector<Event> events;
};

// Never destroyed: calls come until the process ends.
State& state() {
  static State& state = *new State;
  return state;
}

// Decides what happens to this call. Waits while calls of its kind are held.
std::optional<Fault> verdict(Call call) {
  State& s = state();
  std::unique_lock lock(s.mutex);
  if (s.held == call) {
    ++s.waiting;
    s.changed.notify_all();
    s.changed.wait(lock, [&] { return s.held != call; });
    --s.waiting;
  }
  if (!s.fault || s.fault->call != call) return std::nullopt;
  ++s.seen;
  if (s.fault->for_ever ? s.seen < s.fault->nth : s.seen != s.fault->nth) return std::nullopt;
  s.struck = true;
  return s.fault;
}

void happened(Event event) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  if (s.records) s.events.push_back(std::move(event));
}

[[noreturn]] void die() {
  ::raise(SIGKILL);
  std::abort();
}

std::string gathered(const iovec* parts, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i) {
    bytes.append(static_cast<const char*>(parts[i].iov_base), parts[i].iov_len);
  }
  return bytes;
}

// A write of the bytes at the offset. `whole` performs the call as it was made.
template <typename Whole>
ssize_t write_to_store(int descriptor, std::string bytes, off_t offset, Whole whole) {
  static auto* const real_pwrite =
      system_call<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  const auto at = static_cast<std::uint64_t>(offset);
  const Call call = at < kHeadBytes ? Call::head : Call::pages;
  const std::optional<Fault> fault = verdict(call);
  ssize_t written = -1;
  if (!fault || fault->way == Fault::Way::too_late) {
    written = whole();
  } else if (fault->way != Fault::Way::fails) {
    const bool is_whole = fault->way == Fault::Way::kills && fault->nth % 2 == 0;
    const std::size_t part = call == Call::pages ? bytes.size() / 2 : is_whole ? bytes.size() : 0;
    written = real_pwrite(descriptor, bytes.data(), part, offset);
    if (fault->way == Fault::Way::kills) die();
  }
  const int error = fault ? fault->error : errno;
  bytes.resize(written > 0 ? static_cast<std::size_t>(written) : 0);
  const bool fails = fault && fault->way != Fault::Way::in_part;
  const bool is_synced = !fails && (::fcntl(descriptor, F_GETFL) & O_DSYNC) != 0;
  happened({call, fails || written < 0, is_synced, at, std::move(bytes)});
  errno = error;
  return fails ? -1 : written;
}

template <typename Whole>
int obey(Call call, Whole whole) {
  const std::optional<Fault> fault = verdict(call);
  int result = -1;
  if (!fault || fault->way != Fault::Way::fails) result = whole();
  if (fault && fault->way == Fault::Way::kills) die();
  const int error = fault ? fault->error : errno;
  if (fault) result = -1;
  happened({call, result != 0, false, 0, {}});
  errno = error;
  return result;
}

}  // namespace

namespace faults {

void arm(const Fault& fault) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.fault = fault;
  s.seen = 0;
  s.struck = false;
}

bool struck() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  return s.struck;
}

bool end() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.fault.reset();
  return s.struck;
}

void hold(Call call) {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.held = call;
}

bool await_held() {
  State& s = state();
  std::unique_lock lock(s.mutex);
  return s.changed.wait_for(lock, std::chrono::seconds(30), [&] { return s.waiting > 0; });
}

void release() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.held.reset();
  s.changed.notify_all();
}

Cure::~Cure() {
  end();
  release();
}

void record() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.events.clear();
  s.records = true;
}

std::vector<Event> events() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  return std::exchange(s.events, {});
}

void stop_recording() {
  State& s = state();
  const std::scoped_lock lock(s.mutex);
  s.events.clear();
  s.records = false;
}

}  // namespace faults

}  // namespace laurel::crash

// ---- the system calls, by their own names

using laurel::crash::Call;
using laurel::crash::is_of_store;
using laurel::crash::obey;
using laurel::crash::system_call;
using laurel::crash::write_to_store;

#define LAUREL_INTERPOSED extern "C" __attribute__((visibility("default")))

LAUREL_INTERPOSED ssize_t pwrite(int descriptor, const void* bytes, std::size_t size,
                                 off_t offset) {
  static auto* const real = system_call<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  const auto whole = [&] { return real(descriptor, bytes, size, offset); };
  if (!is_of_store(descriptor)) return whole();
  return write_to_store(descriptor, std::string(static_cast<const char*>(bytes), size), offset,
                        whole);
}

LAUREL_INTERPOSED ssize_t write(int descriptor, const void* bytes, std::size_t size) {
  static auto* const real = system_call<ssize_t(int, const void*, std::size_t)>("write");
  const auto whole = [&] { return real(descriptor, bytes, size); };
  if (!is_of_store(descriptor)) return whole();
  return write_to_store(descriptor, std::string(static_cast<const char*>(bytes), size),
                        ::lseek(descriptor, 0, SEEK_CUR), whole);
}

LAUREL_INTERPOSED ssize_t writev(int descriptor, const iovec* parts, int count) {
  static auto* const real = system_call<ssize_t(int, const iovec*, int)>("writev");
  const auto whole = [&] { return real(descriptor, parts, count); };
  if (!is_of_store(descriptor)) return whole();
  return write_to_store(descriptor, laurel::crash::gathered(parts, count),
                        ::lseek(descriptor, 0, SEEK_CUR), whole);
}

LAUREL_INTERPOSED ssize_t pwritev(int descriptor, const iovec* parts, int count, off_t offset) {
  static auto* const real = system_call<ssize_t(int, const iovec*, int, off_t)>("pwritev");
  const auto whole = [&] { return real(descriptor, parts, count, offset); };
  if (!is_of_store(descriptor)) return whole();
  return write_to_store(descriptor, laurel::crash::gathered(parts, count), offset, whole);
}

LAUREL_INTERPOSED int fdatasync(int descriptor) {
  static auto* const real = system_call<int(int)>("fdatasync");
  const auto whole = [&] { return real(descriptor); };
  return is_of_store(descriptor) ? obey(Call::sync, whole) : whole();
}

LAUREL_INTERPOSED int fsync(int descriptor) {
  static auto* const real = system_call<int(int)>("fsync");
  const auto whole = [&] { return real(descriptor); };
  return is_of_store(descriptor) ? obey(Call::sync, whole) : whole();
}

// Syncs a mapping. In these programs only the store has one.
LAUREL_INTERPOSED int msync(void* begin, std::size_t size, int flags) {
  static auto* const real = system_call<int(void*, std::size_t, int)>("msync");
  return obey(Call::sync, [&] { return real(begin, size, flags); });
}

LAUREL_INTERPOSED int ftruncate(int descriptor, off_t size) noexcept {
  static auto* const real = system_call<int(int, off_t)>("ftruncate");
  const auto whole = [&] { return real(descriptor, size); };
  return is_of_store(descriptor) ? obey(Call::size, whole) : whole();
}
