// faults.h - a disk that fails when a test says so: the system calls by which a store writes its
// file pass through this file to the system.
//
//   calls     counted by what they do: pages of the file, its head (the first two pages, in which
//             LMDB records the last transaction), syncs, and the file's size. Only calls on
//             laurel.mdb, and on a file that is being created, count.
//   fault     the n-th call of a kind fails, once or from then on: before anything is done, after a
//             half of it, or after all of it with an error; or the process is killed during the
//             call. The head lies within one sector, so all of it is written or nothing.
//   hold      calls of a kind block until they are released.
//   events    what was done to the file, in order, with the bytes; power.h reads them.
//   reach     this program: its definitions of pwrite, writev, fdatasync and the like take
//             precedence over the system's, also for liblmdb.so.
//   threads   any.
#pragma once

#include <cerrno>
#include <cstdint>
#include <string>
#include <vector>

namespace laurel::crash {

enum class Call : std::uint8_t { pages, head, sync, size };
inline constexpr std::size_t kCalls = 4;

struct Fault {
  enum class Way : std::uint8_t { fails, in_part, too_late, kills };

  Call call = Call::pages;
  std::uint64_t nth = 1;  // counted from arm()
  bool for_ever = false;
  int error = EIO;
  Way way = Way::fails;
};

struct Event {
  Call call = Call::pages;
  bool failed = false;
  bool is_synced = false;  // written through a descriptor opened with O_DSYNC
  std::uint64_t offset = 0;
  std::string bytes;  // the bytes written
};

namespace faults {

void arm(const Fault& fault);
// True if the fault has struck.
bool struck();
// Removes the fault. Returns whether it had struck.
bool end();

void hold(Call call);
// Waits until a call is held. False if none comes within 30 seconds.
bool await_held();
void release();

// At the end of its scope removes the fault and releases held calls, so that a test that ends early
// does not affect the next.
class Cure {
 public:
  Cure() = default;
  ~Cure();
  Cure(const Cure&) = delete;
  Cure& operator=(const Cure&) = delete;
};

void record();
// The events since record() or the last call, oldest first. Recording continues.
std::vector<Event> events();
void stop_recording();

}  // namespace faults

}  // namespace laurel::crash
