// fake_remote.h - a Remote without a network: what a server asks reaches the shared store by way of
// a weather that the test makes.
//
//   servers    several fake remotes on one FakeStore are several servers.
//   weather    how long requests and answers take, and how many get lost; drawn from the seed, so
//              the same test sees the same weather.
//   down       nothing is sent; who asks hears so at the next take.
//   stalled    everything stays on its way; deadlines pass.
//   order      posts of one board arrive in the order of their asking; all else as it comes.
//   time       the steady clock that it was handed. Nothing happens but in take().
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

// Times are microseconds, the rest are probabilities.
struct FakeWeather {
  Time delay_min = 0;  // of a request, and of an answer
  Time delay_max = 0;
  double lose_request = 0;
  double lose_answer = 0;  // of what was done
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
  void ask(Request request) override;
  void follow(const Target& board) override;
  void unfollow(const std::string& board) override;
  void take(News& news) override;
  RemoteState state() const override { return {down_, weather.delay_max}; }

  // What the test does to it.
  FakeWeather weather;
  void down(std::string why);  // empty: up again
  void stall(bool stalled) { stalled_ = stalled; }
  // What is on its way arrives, and nobody hears of it: as when the server ends then.
  void arrive_all();

  // How many questions of a kind were asked.
  template <typename Kind>
  std::size_t asked() const {
    return asked_[Ask(Kind()).index()];
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
    Request request;
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
  std::map<std::string, Time> last_post_;  // of a board: when it arrives
  std::map<std::string, std::pair<std::uint64_t, std::uint64_t>> followed_;
  std::array<std::size_t, std::variant_size_v<AskForms>> asked_{};
};

}  // namespace laurel
