#include "fake_remote.h"

#include <algorithm>
#include <utility>

#include "base/text.h"
#include "board/spec/spec_fields.h"

namespace laurel {

namespace {

bool is_post(const Request& what) {
  return std::visit(
      [](const auto& each) {
        if constexpr (requires { each.post; }) return each.post.has_value();
        return false;
      },
      what);
}

}  // namespace

FakeRemote::FakeRemote(std::shared_ptr<FakeStore> store, std::uint64_t seed, SteadyClock steady,
                       bool takes_copies)
    : store_(std::move(store)),
      random_(seed),
      steady_(std::move(steady)),
      takes_copies_(takes_copies) {}

Status FakeRemote::takes_copies() const {
  if (takes_copies_) return Done{};
  return Refusal(Code::unsupported, "this remote takes no copies");
}

Status FakeRemote::takes(const Spec& spec) const {
  if (spec.engine == EngineKind::capped || spec.engine == EngineKind::rolling ||
      spec.engine == EngineKind::paged) {
    return Refusal(Code::unsupported,
                   "this remote takes engines \"ranked\", \"padded\" and "
                   "\"sharded\"; the board's is \"{}\"",
                   word(spec.engine));
  }
  return Done{};
}

bool FakeRemote::happens(double probability) {
  return probability > 0 && std::uniform_real_distribution<double>(0, 1)(random_) < probability;
}

Time FakeRemote::delay() {
  if (weather.delay_max <= weather.delay_min) return weather.delay_min;
  return std::uniform_int_distribution<Time>(weather.delay_min, weather.delay_max)(random_);
}

void FakeRemote::ask(SentRequest request) {
  ++asked_[request.what.index()];
  const bool post = is_post(request.what);
  waiting_[request.id] = {request.deadline, writes(request.what), post, false};
  if (!down_.empty()) {
    waiting_[request.id].deadline = INT64_MIN;
    return;
  }
  if (happens(weather.lose_request)) return;
  Time at = steady_() + delay();
  if (post) {
    Time& last = last_post_[request.target.board];
    at = last = std::max(last, at);
    if (happens(weather.repeat)) arriving_.emplace(at + delay(), Sent{request, true});
  }
  arriving_.emplace(at, Sent{std::move(request), false});
}

void FakeRemote::follow(const Target& board) {
  followed_.try_emplace(board.board, store_->version(board.board));
}

void FakeRemote::unfollow(const std::string& board) { followed_.erase(board); }

void FakeRemote::down(std::string why) {
  came_up_ = came_up_ || (!down_.empty() && why.empty());
  down_ = std::move(why);
  if (down_.empty()) return;
  // Everything in flight is lost. Some of it was applied, but no answer comes.
  arriving_.clear();
  returning_.clear();
  for (auto& [id, waiting] : waiting_) waiting.deadline = INT64_MIN;
}

void FakeRemote::arrive(Sent sent, Time at) {
  const auto waiting = waiting_.find(sent.request.id);
  if (waiting != waiting_.end()) waiting->second.arrived = true;
  Result<Value> value = store_->apply(sent.request);
  if (sent.repeated || happens(weather.lose_answer)) return;
  returning_.emplace(at + delay(), Answer{sent.request.id, std::move(value)});
}

void FakeRemote::arrive_all() {
  for (auto& [at, sent] : std::exchange(arriving_, {})) (void)store_->apply(sent.request);
}

void FakeRemote::give_up(RequestId id, const Waiting& waiting, std::string_view why, News& news) {
  const bool unknown = waiting.writes && !waiting.is_post && waiting.deadline != INT64_MIN;
  news.answers.push_back({id, unknown || (waiting.writes && !waiting.is_post && waiting.arrived)
                                  ? Refusal(Code::unavailable, "outcome unknown: {}", why)
                                  : Refusal(Code::unavailable, "{}", why)});
}

void FakeRemote::look_at_followed(News& news) {
  for (auto& [board, version] : followed_) {
    const auto now = store_->version(board);
    if (now != version || came_up_) news.changed.push_back(board);
    version = now;
  }
  came_up_ = false;
}

void FakeRemote::take(News& news) {
  const Time now = steady_();
  while (!stalled_ && !arriving_.empty() && arriving_.begin()->first <= now) {
    auto first = arriving_.extract(arriving_.begin());
    arrive(std::move(first.mapped()), first.key());
  }
  while (!stalled_ && !returning_.empty() && returning_.begin()->first <= now) {
    auto first = returning_.extract(returning_.begin());
    if (waiting_.erase(first.mapped().id) == 0) continue;  // it has timed out
    news.answers.push_back(std::move(first.mapped()));
  }
  std::erase_if(waiting_, [&](const auto& each) {
    if (each.second.deadline > now) return false;
    give_up(each.first, each.second, down_.empty() ? "no answer came in time" : down_, news);
    return true;
  });
  if (down_.empty() && !stalled_) look_at_followed(news);
}

}  // namespace laurel
