// fake_remote.h - a Remote without a network: requests reach the shared store through simulated
// weather that the test sets.
//
//   servers    several fake remotes on one FakeStore act as several servers.
//   weather    how long requests and answers take, and how often they are lost. It is drawn from
//              the seed, so a test always sees the same weather.
//   down       nothing is sent; requests fail at the next take().
//   stalled    nothing arrives while deadlines pass.
//   order      posts of one board arrive in the order in which they were asked; other requests
//              arrive in any order.
//   time       the steady clock that the constructor was given. Things happen only in take().
//   threads    none.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include "base/steady_clock.h"
#include "fake_store.h"
#include "remote/remote.h"

namespace laurel {

// Times are in microseconds, the rest are probabilities.
struct FakeWeather {
  Time delay_min = 0;  // of a request, and again of an answer
  Time delay_max = 0;
  double lose_request = 0;
  double lose_answer = 0;  // the request was applied
  double repeat = 0;       // of a post: it arrives twice
};

class FakeRemote final : public Remote {
 public:
  explicit FakeRemote(std::shared_ptr<FakeStore> store, std::uint64_t seed = 1,
                      SteadyClock steady = steady_now, bool takes_copies = true);

  // Remote
  Status takes(const Spec& spec) const override;
  Status takes_players() const override { return Done{}; }
  Status takes_copies() const override;
  void ask(SentRequest request) override;
  void follow(const Target& board) override;
  void unfollow(const std::string& board) override;
  void take(News& news) override;
  RemoteState state() const override { return {down_, weather.delay_max}; }

  // What the test does to the remote.
  FakeWeather weather;
  void down(std::string why);  // empty: up again
  void stall(bool stalled) { stalled_ = stalled; }
  // Applies the requests that are on their way and drops their answers, as if the server ended now.
  void arrive_all();

  // The number of requests of this kind so far.
  template <typename Kind>
  std::size_t asked() const {
    return asked_[Request(Kind()).index()];
  }
  std::size_t under_way() const { return waiting_.size(); }
  bool follows(const std::string& board) const { return followed_.contains(board); }

 private:
  struct Waiting {
    Time deadline = 0;
    bool writes = false;
    bool is_post = false;
    bool arrived = false;
  };
  struct Sent {
    SentRequest request;
    bool repeated = false;
  };

  bool happens(double probability);
  Time delay();
  void arrive(Sent sent, Time at);
  void give_up(RequestId id, const Waiting& waiting, std::string_view why, News& news);
  void look_at_followed(News& news);

  std::shared_ptr<FakeStore> store_;
  std::mt19937_64 random_;
  SteadyClock steady_;
  bool takes_copies_;
  std::string down_;
  bool stalled_ = false;
  bool came_up_ = false;
  std::map<RequestId, Waiting> waiting_;
  std::multimap<Time, Sent> arriving_;
  std::multimap<Time, Answer> returning_;
  std::map<std::string, Time> last_post_;  // by board: when its last post arrives
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> followed_;
  std::array<std::size_t, std::variant_size_v<RequestForms>> asked_{};
};

}  // namespace laurel
