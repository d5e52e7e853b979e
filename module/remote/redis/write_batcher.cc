#include "remote/redis/write_batcher.h"

#include <algorithm>

#include "remote/limits.h"

namespace laurel::redis {

namespace {

// To be awaited: continues after all tasks that are ready now.
struct Later {
  Ready& ready;
  bool await_ready() const noexcept { return false; }
  void await_suspend(std::coroutine_handle<> task) { ready.add(task); }
  void await_resume() const noexcept {}
};

}  // namespace

void Gathering::add(Piece& piece) {
  const auto lane = lanes_.try_emplace({piece.head->words[1], piece.is_post}).first;
  lane->second.waiting.push_back(&piece);
  if (!std::exchange(lane->second.begins, true)) begin_soon(lane);
}

Detached Gathering::begin_soon(Lanes::iterator lane) {
  co_await Later{ready_};
  lane->second.begins = false;
  begin(lane);
}

void Gathering::begin(Lanes::iterator lane) {
  while (!lane->second.waiting.empty() && lane->second.under_way.size() < kRedisRunsMax) {
    run_next(lane);
  }
  const bool is_done = lane->second.waiting.empty() && lane->second.under_way.empty();
  if (is_done && !lane->second.begins) lanes_.erase(lane);
}

Gathering::Pieces Gathering::take_next(Lane& lane) {
  Pieces pieces;
  while (!lane.waiting.empty() && pieces.size() < kRedisAtOnceMax) {
    Piece* const next = lane.waiting.front();
    const bool fits =
        pieces.empty() || (next->head == pieces.front()->head && next->words != nullptr);
    if (!fits) break;
    pieces.push_back(next);
    lane.waiting.pop_front();
  }
  return pieces;
}

Call& Gathering::add_call(Batch& batch, const Pieces& pieces) {
  const Head& head = *pieces.front()->head;
  Call& call = batch.add();
  call.script = head.script;
  call.slot = head.slot;
  call.writes = true;
  call.is_copied = pieces.front()->is_post;
  std::size_t words = head.words.size();
  for (const Piece* const piece : pieces) {
    call.deadline = std::max(call.deadline, piece->deadline);
    if (piece->words != nullptr) words += piece->words->size();
  }
  call.words.reserve(words);
  call.words = head.words;
  for (const Piece* const piece : pieces) {
    if (piece->words == nullptr) continue;
    call.words.insert(call.words.end(), piece->words->begin(), piece->words->end());
  }
  return call;
}

Detached Gathering::run_next(Lanes::iterator lane) {
  Pieces pieces = take_next(lane->second);
  lane->second.under_way.push_back(&pieces);
  Batch batch;
  Call& call = add_call(batch, pieces);
  co_await cluster_.run(batch);
  std::erase(lane->second.under_way, &pieces);
  hand_out(call, pieces);
  begin(lane);
}

void Gathering::hand_out(Call& call, const Pieces& pieces) {
  const bool is_split = call.outcome == CallOutcome::answered && call.script == Script::write &&
                        !call.reply.is_error() && call.reply[0].text == "ok";
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    Piece* const piece = pieces[i];
    if (piece == nullptr) continue;
    if (is_split) {
      piece->reply.kind = Reply::Kind::list;
      piece->reply.list.push_back(call.reply[0]);
      if (i < call.reply[1].list.size()) {
        piece->reply.list.push_back(std::move(call.reply.list[1].list[i]));
      }
    } else {
      piece->reply = call.reply;
    }
    end(*piece, call.outcome, call.why);
  }
}

void Gathering::end(Piece& piece, CallOutcome outcome, std::string_view why) {
  piece.outcome = outcome;
  piece.why = why;
  ready_.add(piece.waiter);
}

void Gathering::expire(Time now) {
  if (now - expired_at_ < kRedisLookEvery) return;
  expired_at_ = now;
  for (auto& [key, lane] : lanes_) {
    std::erase_if(lane.waiting, [&](Piece* const piece) {
      if (piece->deadline > now) return false;
      end(*piece, CallOutcome::not_done, "no answer to the writes before it");
      return true;
    });
    for (Pieces* const pieces : lane.under_way) {
      for (Piece*& piece : *pieces) {
        if (piece == nullptr || piece->deadline > now) continue;
        end(*piece, CallOutcome::unknown, "no answer");
        piece = nullptr;
      }
    }
  }
}

}  // namespace laurel::redis
