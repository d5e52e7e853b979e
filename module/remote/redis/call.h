// call.h - one command on its way to wherever its keys are, and what came of it.
//
//   fate      answered   by the server that has the keys: `reply`, which may be an error.
//             not_done   nothing was done there: `why`.
//             unknown    a command that writes was sent, and nobody said what came of it: `why`.
//   batch     several calls that a task waits for together; it stays where it is until all have
//             ended.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"
#include "remote/redis/connection.h"
#include "remote/redis/reply.h"
#include "remote/redis/scripts.h"

namespace laurel::redis {

enum class Fate : std::uint8_t { under_way, answered, not_done, unknown };

class Batch;

struct Call {
  // ---- asked
  Words words;                   // of a script what follows EVALSHA and its digest
  std::optional<Script> script;  // to be run with those
  std::uint16_t slot = 0;
  bool writes = false;
  bool is_copied = false;  // it is answered once replicas have it (node.h)
  Time deadline = 0;       // by steady_now()

  // ---- answered
  Fate fate = Fate::under_way;
  Reply reply;
  std::string why;

  // ---- on its way
  Batch* batch = nullptr;
  int tries = 0;
  bool asking = false;       // to a node that is taking over the slot
  bool with_source = false;  // the server does not know the script yet
};

class Batch {
 public:
  Call& add() {
    Call& call = calls.emplace_back();
    call.batch = this;
    return call;
  }

  std::deque<Call> calls;
  std::size_t left = 0;
  std::coroutine_handle<> waiter;
};

}  // namespace laurel::redis
