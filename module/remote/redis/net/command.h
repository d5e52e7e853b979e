// command.h - one command for the server that has its keys, and its outcome.
//
//   outcome   answered   by the server that has the keys: `reply`, which may be an error.
//             not_done   it was not executed: `why`.
//             unknown    a writing command was sent and got no answer: `why`.
//   batch     several calls that a task awaits together. Its address must not change until all have
//             ended.
#pragma once

#include <coroutine>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>

#include "base/time.h"
#include "remote/redis/net/connection.h"
#include "remote/redis/net/reply.h"
#include "remote/redis/scripts/scripts.h"

namespace laurel::redis {

enum class CallOutcome : std::uint8_t { under_way, answered, not_done, unknown };

class Batch;

struct Call {
  // ---- the command
  Words words;                   // for a script the arguments after EVALSHA and its digest
  std::optional<Script> script;  // run with these arguments
  std::uint16_t slot = 0;
  bool writes = false;
  bool is_copied = false;  // answered only after replicas have it (node.h)
  Time deadline = 0;       // by steady_now()

  // ---- answered
  CallOutcome outcome = CallOutcome::under_way;
  Reply reply;
  std::string why;

  // ---- used by Cluster and Node
  Batch* batch = nullptr;
  int tries = 0;
  bool asking = false;       // sent with ASKING, to a node that imports the slot
  bool with_source = false;  // sent as EVAL, because the server does not know the script
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
