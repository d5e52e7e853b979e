#include "remote/redis/redis_remote.h"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <poll.h>
#include <sys/eventfd.h>
#include <system_error>
#include <unistd.h>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/steady_clock.h"
#include "board/spec/spec_fields.h"
#include "remote/core/coroutine.h"
#include "remote/core/run_queue.h"
#include "remote/limits.h"
#include "remote/redis/change_subscriber.h"
#include "remote/redis/net/cluster.h"
#include "remote/redis/request_handler.h"

namespace laurel::redis {

// The part of the remote that runs on its thread.
class RedisRemote::Loop {
 public:
  Loop(const Url& url, const TlsClient* tls)
      : cluster_(url, tls, ready_), answering_(cluster_, ready_), following_(url, tls, cluster_) {}

  void start(std::vector<SentRequest> asked, const std::vector<Follow>& follows) {
    for (const Follow& each : follows) {
      if (each.shards > 0) {
        following_.follow(each.board, each.shards);
      } else {
        following_.unfollow(each.board);
      }
    }
    for (SentRequest& sent : asked) serve(std::move(sent));
    ready_.run();
  }

  void wait(int wake_fd) {
    Time now = steady_now();
    fds_.assign(1, pollfd{wake_fd, POLLIN, 0});
    cluster_.prepare(now, fds_);
    following_.prepare(now, fds_);
    const bool idle = ready_.empty() && answers.empty();
    const Time due = idle ? std::min(cluster_.due(), following_.due(now)) : now;
    const Time left = std::clamp<Time>(due - now, 0, kSecond);
    ::poll(fds_.data(), fds_.size(), static_cast<int>((left + kMillisecond - 1) / kMillisecond));
    if (fds_[0].revents != 0) {
      eventfd_t count = 0;
      ::eventfd_read(wake_fd, &count);
    }
    now = steady_now();
    answering_.expire(now);
    const pollfd* next = fds_.data() + 1;
    cluster_.on_events(now, next);
    following_.on_events(next);
    ready_.run();
  }

  void close() {
    following_.close();
    cluster_.close();
    ready_.run();
  }

  void report(News& news, RemoteState& state) {
    std::move(answers.begin(), answers.end(), std::back_inserter(news.answers));
    answers.clear();
    for (const std::string& board : following_.take_changed()) {
      const auto end = news.changed.end();
      if (std::find(news.changed.begin(), end, board) == end) news.changed.push_back(board);
    }
    for (auto& line : cluster_.log()) {
      if (news.log.size() < kThreadLogLinesMax) news.log.push_back(std::move(line));
    }
    cluster_.log().clear();
    state.down = cluster_.down();
    state.round_trip = cluster_.round_trip();
  }

  std::vector<Answer> answers;

 private:
  Detached serve(SentRequest sent) {
    const RequestId id = sent.id;
    Result<Value> value = co_await answering_.answer(std::move(sent));
    answers.push_back({id, std::move(value)});
  }

  Ready ready_;
  Cluster cluster_;
  RequestHandler answering_;
  Following following_;
  std::vector<pollfd> fds_;
};

Result<std::unique_ptr<Remote>> RedisRemote::open(std::string_view text) {
  Result<Url> url = parse_url(text);
  if (!url) return url.refusal();
  std::shared_ptr<const TlsClient> tls;
  if (url->tls) {
    Result<std::shared_ptr<const TlsClient>> client = TlsClient::open(*url->tls);
    if (!client) return client.refusal();
    tls = std::move(*client);
  }
  return std::unique_ptr<Remote>(new RedisRemote(std::move(*url), std::move(tls)));
}

RedisRemote::RedisRemote(Url url, std::shared_ptr<const TlsClient> tls)
    : url_(std::move(url)),
      tls_(std::move(tls)),
      wake_fd_(::eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC)) {
  if (wake_fd_ < 0) throw std::system_error(errno, std::generic_category(), "eventfd");
  state_.down = "not connected yet";
  thread_ = std::thread([this] { run(); });
}

RedisRemote::~RedisRemote() {
  {
    const std::lock_guard lock(door_);
    ends_ = true;
  }
  wake();
  thread_.join();
  ::close(wake_fd_);
}

void RedisRemote::wake() const { ::eventfd_write(wake_fd_, 1); }

void RedisRemote::run() {
  allocate_thread_variables();
  Loop loop(url_, tls_.get());
  for (;;) {
    std::vector<SentRequest> asked;
    std::vector<Follow> follows;
    {
      const std::lock_guard lock(door_);
      loop.report(news_, state_);
      if (ends_) break;
      asked.swap(asked_);
      follows.swap(follows_);
    }
    loop.start(std::move(asked), follows);
    loop.wait(wake_fd_);
  }
  loop.close();
}

Status RedisRemote::takes(const Spec& spec) const {
  const bool is_ranked = spec.engine == EngineKind::ranked;
  const bool is_sharded = spec.engine == EngineKind::sharded && spec.of == EngineKind::ranked;
  if (!is_ranked && !is_sharded) {
    return Refusal(Code::unsupported,
                   "a board in Redis has engine \"ranked\", or \"sharded\" of \"ranked\", not"
                   " \"{}\"{}",
                   word(spec.engine),
                   spec.engine == EngineKind::sharded ? fmt::format(" of \"{}\"", word(spec.of))
                                                      : std::string());
  }
  if (spec.columns && spec.columns->bits() > kRedisColumnBitsMax) {
    return Refusal(Code::unsupported, "columns take {} bits; on a board in Redis at most {}",
                   spec.columns->bits(), kRedisColumnBitsMax);
  }
  if (spec.capacity != 0 && spec.engine == EngineKind::sharded && spec.shards > 1) {
    return Refusal(Code::unsupported,
                   "field 'capacity' is {}: the shards of a board in Redis cannot count their "
                   "players together; it takes engine \"ranked\"",
                   spec.capacity);
  }
  return Done{};
}

Status RedisRemote::takes_players() const { return no_players(); }
Status RedisRemote::takes_copies() const { return no_copies(); }

void RedisRemote::ask(SentRequest sent) {
  {
    const std::lock_guard lock(door_);
    if (under_way_ >= kRemoteRequestsMax) {
      news_.answers.push_back(
          {sent.id,
           Refusal(Code::unavailable, "{} requests wait for Redis, the most allowed", under_way_)});
      ++under_way_;
      return;
    }
    ++under_way_;
    asked_.push_back(std::move(sent));
    if (asked_.size() > 1) return;  // the thread is awake
  }
  wake();
}

void RedisRemote::follow(const Target& board) {
  {
    const std::lock_guard lock(door_);
    const bool sharded = board.spec && board.spec->engine == EngineKind::sharded;
    follows_.push_back({board.board, sharded ? board.spec->shards : 1});
  }
  wake();
}

void RedisRemote::unfollow(const std::string& board) {
  {
    const std::lock_guard lock(door_);
    follows_.push_back({board, 0});
  }
  wake();
}

void RedisRemote::take(News& news) {
  const std::lock_guard lock(door_);
  under_way_ -= std::min(under_way_, news_.answers.size());
  const auto move_all = [](auto& from, auto& to) {
    std::move(from.begin(), from.end(), std::back_inserter(to));
    from.clear();
  };
  move_all(news_.answers, news.answers);
  move_all(news_.changed, news.changed);
  move_all(news_.log, news.log);
}

RemoteState RedisRemote::state() const {
  const std::lock_guard lock(door_);
  return state_;
}

}  // namespace laurel::redis
