#include "remote/core/post_queue.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "board/refusals.h"
#include "board/validate.h"
#include "remote/limits.h"

namespace laurel {

std::size_t lane_of(const Spec& spec, std::string_view player) {
  return spec.engine == EngineKind::sharded ? stable_hash(player) % spec.shards : 0;
}

Posts::~Posts() {
  for (auto& [index, lane] : lanes_) {
    if (lane.rule_write) lane.rule_write->cancel();
  }
}

Status Posts::check(const OwnedSubmission& what) const {
  if (const Status valid = what.id ? check_identity(what.view()) : Done{}; !valid) return valid;
  if (!board_.spec()) {
    if (const Status finite = check_score_of(what.view()); !finite) return finite;
    return check_submission(what.view());
  }
  const Spec& spec = *board_.spec();
  if (Status valid = check_values(spec, WriteMode::submit, what); !valid) return valid;
  // If the id was accepted before, it is not an error that the board is closed.
  if (what.id) return Done{};
  const Time now = requests_.registry().now();
  if (spec.opens && now < *spec.opens) return closed(board_.name(), "opens", *spec.opens);
  if (spec.closes && now >= *spec.closes) return closed(board_.name(), "closed", *spec.closes);
  return Done{};
}

void Posts::add(Post post) {
  ++pending_;
  board_.use();
  if (!board_.is_open() || !unplaced_.empty()) {
    unplaced_.push_back(std::move(post));
    return;
  }
  const std::optional<PostForm> form = unpack_post(post.row);
  const std::size_t index = lane_of(*board_.spec(), form->what.player);
  Lane& lane = lanes_[index];
  lane.posts.push_back(std::move(post));
  send(index, lane);
}

void Posts::opened() {
  const std::size_t shards =
      board_.spec()->engine == EngineKind::sharded ? board_.spec()->shards : 1;
  if (shards != std::exchange(shards_, shards) && !lanes_.empty()) {
    // The board was made again with another number of shards. Posts in flight are sent again;
    // answers to them that still come are accepted.
    std::map<std::uint64_t, Post> all;
    for (auto& [index, lane] : lanes_) {
      if (lane.rule_write) lane.rule_write->cancel();
      for (Post& post : lane.posts) all.emplace(post.number, std::move(post));
    }
    for (Post& post : unplaced_) all.emplace(post.number, std::move(post));
    lanes_.clear();
    unplaced_.clear();
    for (auto& [number, post] : all) unplaced_.push_back(std::move(post));
  }
  for (Post& post : std::exchange(unplaced_, {})) {
    const std::optional<PostForm> form = unpack_post(post.row);
    lanes_[lane_of(*board_.spec(), form->what.player)].posts.push_back(std::move(post));
  }
  tick();
}

void Posts::tick() {
  if (pending_ == 0 || !board_.is_open()) return;
  board_.use();
  for (auto& [index, lane] : lanes_) send(index, lane);
}

void Posts::discard() {
  for (const Post& post : unplaced_) journal_.done(post);
  for (auto& [index, lane] : lanes_) {
    for (const Post& post : lane.posts) journal_.done(post);
    if (lane.rule_write) lane.rule_write->cancel();
  }
  lanes_.clear();
  unplaced_.clear();
  pending_ = 0;
  alive_ = std::make_shared<bool>(true);
}

std::optional<Time> Posts::oldest() const {
  const Post* first = unplaced_.empty() ? nullptr : &unplaced_.front();
  for (const auto& [index, lane] : lanes_) {
    if (lane.posts.empty()) continue;
    const Post& post = lane.posts.front();
    if (first == nullptr || post.number < first->number) first = &post;
  }
  if (first == nullptr) return std::nullopt;
  return unpack_post(first->row)->posted;
}

void Posts::send(std::size_t index, Lane& lane) {
  if (!board_.is_open() || !board_.spec_mismatch().empty()) return;
  if (lane.sent == lane.posts.size() || requests_.steady() < lane.backoff.until()) return;
  while (send_next(index, lane)) {
  }
}

// Whether there may be more to send.
bool Posts::send_next(std::size_t index, Lane& lane) {
  if (lane.sent == lane.posts.size() || requests_.size() >= kRemoteRequestsMax) return false;
  const bool one_at_a_time = lane.alone || is_judged();
  if (lane.sent >= (one_at_a_time ? 1 : kPostsAheadMax)) return false;
  const Post& post = lane.posts[lane.sent];
  PostForm form = *unpack_post(post.row);
  PostNumber number{form.server, post.number, 0};
  if (lane.sent > 0) {
    // A post of another opening waits until those of the earlier one are done.
    if (form.server != lane.sent_server) return false;
    number.before = lane.posts[lane.sent - 1].number;
  } else if (is_judged()) {
    // A post that the rule refuses leaves no number in the remote. Order holds anyway, because only
    // one post is in flight.
  } else if (!lane.alone && form.server == lane.last_server) {
    number.before = lane.last;
  } else {
    lane.alone = true;
  }
  lane.sent_server = form.server;
  ++lane.sent;
  if (!post.done) send_one(index, lane, std::move(form), number);
  return true;
}

void Posts::send_one(std::size_t index, Lane& lane, PostForm form, PostNumber number) {
  const auto done = [this, alive = std::weak_ptr(alive_), index, number = number.number,
                     epoch = lane.epoch](const Result<Value>& value) {
    if (!alive.expired()) answered(index, number, epoch, value);
  };
  const Target target = board_.target(0);
  const Time deadline = requests_.deadline();
  Request what;
  switch (form.kind) {
    case PostKind::submit: {
      request::Write write;
      write.what = std::move(form.what);
      write.post = number;
      if (is_judged()) {
        lane.rule_write =
            RuleWrite::begin(requests_, board_.remote(), target, std::move(write), deadline, done);
        return;
      }
      what = std::move(write);
      break;
    }
    case PostKind::ban: what = request::Ban{std::move(form.what.player), number}; break;
    case PostKind::unban: what = request::Unban{std::move(form.what.player), number}; break;
    case PostKind::forget: what = request::Forget{std::move(form.what.player), number}; break;
  }
  requests_.ask(board_.remote(), target, std::move(what), deadline, done);
}

void Posts::answered(std::size_t index, std::uint64_t number, std::uint64_t epoch,
                     const Result<Value>& value) {
  const auto found = lanes_.find(index);
  if (found == lanes_.end()) return;
  Lane& lane = found->second;
  if (!value && value.refusal().code() == Code::unavailable) {
    if (epoch == lane.epoch) fail(lane);
    return;
  }
  const auto post =
      std::lower_bound(lane.posts.begin(), lane.posts.end(), number,
                       [](const Post& each, std::uint64_t wanted) { return each.number < wanted; });
  if (post == lane.posts.end() || post->number != number || post->done) return;
  if (!value) {
    ++refused_;
    journal_.refused(board_.name(), *post, value.refusal());
  }
  if (on_order && kind_of(*post) != PostKind::submit) {
    on_order(kind_of(*post), unpack_post(post->row)->what.player);
  }
  post->done = true;
  lane.backoff.succeed();
  while (!lane.posts.empty() && lane.posts.front().done) {
    const Post& first = lane.posts.front();
    lane.last = first.number;
    lane.last_server = unpack_post(first.row)->server;
    lane.alone = false;
    journal_.done(first);
    --pending_;
    lane.posts.pop_front();
    if (lane.sent > 0) --lane.sent;
  }
  send(index, lane);
}

void Posts::fail(Lane& lane) {
  ++lane.epoch;
  lane.sent = 0;
  lane.alone = true;
  lane.backoff.fail(requests_.steady());
}

}  // namespace laurel
