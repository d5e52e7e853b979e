// faults.h - a disk that fails when a test says so: the system calls by which a store writes its
// file go through here, and on to the system.
//
//   calls     counted by what they do: pages of the file, its head (the first two pages, where LMDB
//             says which transaction is the last), syncs, and the file's size. Only calls on
//             laurel.mdb, and on a file in the making, count.
//   fault     the n-th call of a kind fails, once, or from then on for ever: before anything is
//             done, when half of it is, or when all of it is and nobody can say so; or the process
//             is killed in the middle of it. The head lies within a sector: all of it is written,
//             or nothing.
//   hold      calls of a kind wait until they are let go.
//   events    what was done to the file, in order, with the bytes: power.h reads them.
//   reach     of this program: its own definitions of pwrite, writev, fdatasync and the like stand
//             before the system's, for liblmdb.so too.
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
  std::uint64_t nth = 1;  // counted from when it is armed
  bool for_ever = false;
  int error = EIO;
  Way way = Way::fails;
};

struct Event {
  Call call = Call::pages;
  bool failed = false;
  bool is_synced = false;  // written through a descriptor that waits for the disk by itself
  std::uint64_t offset = 0;
  std::string bytes;  // that were written
};

namespace faults {

void arm(const Fault& fault);
// Whether the fault has struck.
bool struck();
// From now on nothing fails; whether the fault had struck.
bool end();

void hold(Call call);
// Waits until a call is held; false when none comes.
bool await_held();
void release();

// Ends what fails and what is held with its scope, so that a test which ends early harms no other.
class Cure {
 public:
  Cure() = default;
  ~Cure();
  Cure(const Cure&) = delete;
  Cure& operator=(const Cure&) = delete;
};

void record();
// What happened since record(), oldest first; goes on recording.
std::vector<Event> events();
void stop_recording();

}  // namespace faults

}  // namespace laurel::crash
