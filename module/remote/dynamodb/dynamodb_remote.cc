#include "remote/dynamodb/dynamodb_remote.h"

#include <atomic>
#include <deque>
#include <list>
#include <map>
#include <mutex>
#include <set>
#include <thread>
#include <utility>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/steady_clock.h"
#include "base/text.h"
#include "remote/dynamodb/boards.h"
#include "remote/dynamodb/net/url.h"
#include "remote/dynamodb/players.h"
#include "remote/limits.h"

namespace laurel {

namespace {

using dynamodb::Boards;
using dynamodb::Client;
using dynamodb::Place;
using dynamodb::Players;
using dynamodb::Reply;

constexpr Time kTurn = kSecond;
constexpr std::size_t kLogLinesMax = 256;  // waiting for the game thread
constexpr const char* kNotConnected = "not connected yet";

// The player of a post. Only Write has it nested.
const std::string& player_of(const request::Write& request) { return request.what.player; }
template <typename Post>
const std::string& player_of(const Post& post) {
  return post.player;
}

// The player whose profile the request changes.
const std::string& changed_player(const request::SavePlayer& request) { return request.id; }
const std::string& changed_player(const request::RecordSession& request) { return request.player; }
const std::string& changed_player(const request::ForgetPlayer& request) { return request.player; }

class DynamoRemote final : public Remote {
 public:
  explicit DynamoRemote(Place place)
      : client_(std::move(place)),
        boards_(client_, [this](Level level, std::string line) { log(level, std::move(line)); }),
        players_(client_) {
    state_.down = kNotConnected;
    client_.set_down(kNotConnected);
    thread_ = std::thread([this] { run(); });
  }

  ~DynamoRemote() override {
    stop_ = true;
    client_.wake();
    thread_.join();
  }

  Status takes(const Spec& spec) const override {
    if (!keys_are_padded(spec)) {
      return Refusal(Code::unsupported,
                     "boards of a dynamodb:// remote have engine = \"padded\", or \"sharded\" with "
                     "of = \"padded\"");
    }
    if (spec.capacity == 0) return Done{};
    return Refusal(Code::unsupported,
                   "field 'capacity' is {}: DynamoDB cannot count a board's players and add one "
                   "in a single step",
                   spec.capacity);
  }

  Status takes_players() const override { return Done{}; }
  Status takes_copies() const override { return Done{}; }

  void ask(SentRequest sent) override {
    {
      const std::lock_guard lock(mutex_);
      asked_.push_back(std::move(sent));
    }
    client_.wake();
  }

  void follow(const Target& board) override {
    {
      const std::lock_guard lock(mutex_);
      followed_.insert(board.board);
    }
    client_.wake();
  }

  void unfollow(const std::string& board) override {
    const std::lock_guard lock(mutex_);
    followed_.erase(board);
  }

  void take(News& news) override {
    const std::lock_guard lock(mutex_);
    for (Answer& answer : answers_) news.answers.push_back(std::move(answer));
    news.changed.insert(news.changed.end(), changed_.begin(), changed_.end());
    for (auto& line : lines_) news.log.push_back(std::move(line));
    answers_.clear();
    changed_.clear();
    lines_.clear();
  }

  RemoteState state() const override {
    const std::lock_guard lock(mutex_);
    return state_;
  }

 private:
  // Requests that are serialized: posts of a board's lane, and changes of a player. The latter use
  // a zero byte, which no board's name contains, and the player as the name.
  using Lane = std::pair<std::string, std::size_t>;
  struct Follow {
    bool on = true;
  };

  void run() {
    allocate_thread_variables();
    tasks_.push_back(make_ready());
    tasks_.back().start();
    while (!stop_) {
      begin_asked();
      begin_follows();
      client_.turn(ready_ ? kTurn : kRemoteRetryMin);
      expire_waiting();
      tasks_.remove_if([](const Task<bool>& task) { return task.done(); });
      boards_.tidy();
      tell_state();
    }
  }

  void log(Level level, std::string line) {
    const std::lock_guard lock(mutex_);
    if (lines_.size() < kLogLinesMax) lines_.emplace_back(level, std::move(line));
  }

  // Why the remote is down; empty: it is up.
  std::string down() const {
    return !ready_ && client_.down().empty() ? kNotConnected : client_.down();
  }

  void tell_state() {
    const std::string why = down();
    {
      const std::lock_guard lock(mutex_);
      state_.down = why;
      state_.round_trip = client_.round_trip();
    }
    if (why != logged_down_ && why != kNotConnected) log_state(why);
  }

  // A state for which there is no line left is logged in the next minute, if it still holds.
  void log_state(const std::string& why) {
    const Time now = steady_now();
    if (now - lines_since_ >= kMinute) {
      lines_since_ = now;
      lines_in_minute_ = 0;
    }
    if (lines_in_minute_ >= kRemoteDownLinesPerMinute) return;
    ++lines_in_minute_;
    logged_down_ = why;
    log(why.empty() ? Level::info : Level::warn,
        fmt::format("DynamoDB table \"{}\"{}{}", client_.place().table,
                    why.empty() ? " is up" : ": ", why));
  }

  void tell(RequestId id, Result<Value> value) {
    const std::lock_guard lock(mutex_);
    answers_.push_back({id, std::move(value)});
  }

  // ---- the table

  Task<bool> make_ready() {
    while (!ready_) {
      dynamodb::Json what;
      const Reply reply =
          co_await client_.call("DescribeTable", std::move(what), steady_now() + kRemoteTimeout);
      if (reply.ok()) {
        const dynamodb::Json* table = dynamodb::member(reply.body, "Table");
        const dynamodb::Json* status =
            table == nullptr ? nullptr : dynamodb::member(*table, "TableStatus");
        ready_ = status != nullptr && (*status == "ACTIVE" || *status == "UPDATING");
        if (!ready_) client_.set_down(not_ready(status));
      }
      if (reply.missing && client_.place().local) {
        co_await make_table();
      } else if (!ready_) {
        co_await client_.pause(reply.ok() ? kRemoteRetryMin : kRemoteRetryMax / 4);
      }
    }
    client_.set_down("");
    for (SentRequest& sent : waiting_) begin(std::move(sent));
    waiting_.clear();
    co_return true;
  }

  static std::string not_ready(const dynamodb::Json* status) {
    const auto* word = status == nullptr ? nullptr : status->get_ptr<const std::string*>();
    if (word == nullptr) return "DynamoDB's answer does not give the table's status";
    return fmt::format("the table's status is {}", escaped(*word, 64));
  }

  // Several servers may do this concurrently; then the table exists for all but the first.
  Task<bool> make_table() {
    const Time deadline = steady_now() + kRemoteTimeoutMax;
    dynamodb::Json form = dynamodb::table_form(client_.place().table);
    const Reply made = co_await client_.call("CreateTable", std::move(form), deadline);
    if (!made.ok()) {
      co_await client_.pause(kRemoteRetryMin);
      co_return false;
    }
    dynamodb::Json expiry;
    expiry["TableName"] = client_.place().table;
    expiry["TimeToLiveSpecification"] = {{"AttributeName", "expires"}, {"Enabled", true}};
    const Reply expires =
        co_await client_.call("UpdateTimeToLive", std::move(expiry), steady_now() + kRemoteTimeout);
    co_return expires.ok();
  }

  void expire_waiting() {
    const Time now = steady_now();
    std::erase_if(waiting_, [&](const SentRequest& sent) {
      if (sent.deadline > now) return false;
      tell(sent.id, Refusal(Code::unavailable, "{}", down()));
      return true;
    });
  }

  // ---- requests

  void begin_asked() {
    std::vector<SentRequest> asked;
    {
      const std::lock_guard lock(mutex_);
      asked.swap(asked_);
    }
    for (SentRequest& sent : asked) {
      if (ready_) {
        begin(std::move(sent));
      } else {
        waiting_.push_back(std::move(sent));
      }
    }
  }

  static std::optional<Lane> lane_of_request(const SentRequest& sent) {
    return std::visit([&](const auto& what) { return lane_of_ask(sent.target, what); }, sent.what);
  }

  template <typename What>
  static std::optional<Lane> lane_of_ask(const Target& target, const What& what) {
    if constexpr (What::kWrites && kIsOfPlayers<What>) {
      return Lane{std::string(1, '\0') + changed_player(what), 0};
    } else if constexpr (requires { what.post; }) {
      if (!what.post || !target.spec) return std::nullopt;
      return Lane{target.board, lane_of(*target.spec, player_of(what))};
    }
    return std::nullopt;
  }

  void begin(SentRequest sent) {
    const std::optional<Lane> lane = lane_of_request(sent);
    if (!lane) {
      tasks_.push_back(serve(std::move(sent)));
      tasks_.back().start();
      return;
    }
    std::deque<SentRequest>& queue = lanes_[*lane];
    queue.push_back(std::move(sent));
    if (queue.size() > 1) return;
    tasks_.push_back(serve_lane(*lane));
    tasks_.back().start();
  }

  // `request` must outlive the task. Requests that Players does not handle go to Boards; if Boards
  // does not handle one either, this does not compile.
  Task<Result<Value>> answer(const SentRequest& sent) {
    const auto answer_what = [&](const auto& what) {
      if constexpr (requires { players_.answer(sent, what); }) {
        return players_.answer(sent, what);
      } else {
        return boards_.answer(sent, what);
      }
    };
    return std::visit(answer_what, sent.what);
  }

  Task<bool> serve(SentRequest sent) {
    Result<Value> value = co_await answer(sent);
    tell(sent.id, std::move(value));
    co_return true;
  }

  // The front of the queue is the request in progress.
  Task<bool> serve_lane(Lane lane) {
    while (!lanes_[lane].empty()) {
      const SentRequest& first = lanes_[lane].front();  // a deque does not move its elements
      Result<Value> value = co_await answer(first);
      tell(first.id, std::move(value));
      lanes_[lane].pop_front();
    }
    lanes_.erase(lane);
    co_return true;
  }

  // ---- following

  void begin_follows() {
    if (!ready_) return;
    std::set<std::string> wanted;
    {
      const std::lock_guard lock(mutex_);
      wanted = followed_;
    }
    for (auto each = follows_.begin(); each != follows_.end();) {
      each->second->on = wanted.contains(each->first);
      each = each->second->on ? std::next(each) : follows_.erase(each);
    }
    for (const std::string& board : wanted) {
      if (follows_.contains(board)) continue;
      auto follow = std::make_shared<Follow>();
      follows_.emplace(board, follow);
      tasks_.push_back(look(board, follow));
      tasks_.back().start();
    }
  }

  Task<bool> look(std::string board, std::shared_ptr<Follow> follow) {
    std::optional<std::string> seen;
    std::optional<Time> told_due;
    while (follow->on) {
      const Result<std::string> now = co_await boards_.glance(board);
      SystemClock clock;
      const std::optional<Time> due = boards_.due(board);
      const bool ended = due && *due <= clock.now() && due != told_due;
      if (!now) {
        seen.reset();  // changes may have been missed
      } else if (seen != *now || ended) {
        seen = *now;
        told_due = due;
        const std::lock_guard lock(mutex_);
        if (follow->on) changed_.insert(board);
      }
      const auto many = static_cast<Time>(follows_.size() / kDynamoFollowsAtOnce);
      co_await client_.pause(kDynamoFollowEvery * (1 + many));
    }
    co_return true;
  }

  mutable std::mutex mutex_;  // guards the members up to `state_`
  std::vector<SentRequest> asked_;
  std::set<std::string> followed_;
  std::vector<Answer> answers_;
  std::set<std::string> changed_;
  std::vector<std::pair<Level, std::string>> lines_;
  RemoteState state_;

  std::atomic<bool> stop_ = false;

  // Used only by the thread. Waiting tasks are destroyed before the objects they wait for.
  Client client_;
  Boards boards_;
  Players players_;
  bool ready_ = false;
  std::string logged_down_;  // the state, as the last log line gave it
  Time lines_since_ = 0;     // the start of a minute,
  unsigned lines_in_minute_ = 0;
  std::vector<SentRequest> waiting_;  // for the table
  std::map<Lane, std::deque<SentRequest>> lanes_;
  std::map<std::string, std::shared_ptr<Follow>> follows_;
  std::list<Task<bool>> tasks_;

  std::thread thread_;
};

}  // namespace

Result<std::unique_ptr<Remote>> open_dynamodb(std::string_view url) {
  Result<dynamodb::Place> place = dynamodb::read_url(url, dynamodb::system_environment);
  if (!place) return place.refusal();
  return std::unique_ptr<Remote>(std::make_unique<DynamoRemote>(std::move(*place)));
}

}  // namespace laurel
