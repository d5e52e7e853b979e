#include "one_board.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <fmt/core.h>

#include "bench/peers/candidates.h"
#include "bench/pointer_chase.h"
#include "operations.h"

namespace laurel {

namespace {

// The commands for redis-benchmark. It cannot draw a random rank and the rank ten below, so pages
// start at a score. Counts start in the lowest tenth and end anywhere, which is nearly always a
// range.
constexpr const char* kUpdate = "ZADD b __rand_int__ __rand_int__";
constexpr const char* kRank = "ZREVRANK b __rand_int__";
constexpr const char* kTop = "ZREVRANGE b 0 9 WITHSCORES";
constexpr const char* kPage = "ZREVRANGEBYSCORE b __rand_int__ -inf WITHSCORES LIMIT 0 10";
constexpr const char* kCount = "ZCOUNT b __rand_int__e-1 __rand_int__";

struct Plan {
  Operation operation;
  const char* name;
  std::size_t calls;     // in a round, for each candidate in this process
  std::size_t requests;  // in a round, for each server
  const char* command;   // for a server
  bool is_bounded;       // by three dependent loads
  Goal goal;             // applies from a million members on
};

std::vector<Plan> plans(std::uint64_t members) {
  const bool is_large = members >= 10'000'000;
  using enum Operation;
  std::vector<Plan> all = {
      {update, "update", 20'000, 40'000, kUpdate, true, is_large ? Goal{15, 12} : Goal{11, 9}},
      // The peers have no batches: they make the same number of updates.
      {batches_of_16, "update, batches of 16", 32'000, 40'000, kUpdate, false, {24, 22}},
      {batches_of_64, "update, batches of 64", 32'000, 40'000, kUpdate, false, {24, 22}},
      {rank, "rank of a player", 20'000, 40'000, kRank, true, {8.5, 6}},
      {top_10, "top 10 with ids", 200'000, 100'000, kTop, false, {{}, {}, 15}},
      {page_of_10, "page of 10 anywhere", 20'000, 40'000, kPage, true, {16, 6}},
      {count, "count in a score range", 20'000, 40'000, kCount, false, {20, 10}}};
  if (members < 1'000'000) {
    for (Plan& plan : all) plan.goal = {};
  }
  return all;
}

// All calls while a board grew from nothing: the worst one, the 99.9th percentile, and the longest
// wait of a thread that does nothing, right after and over the same time.
struct Growth {
  double worst = 0;
  double rare = 0;
  double gap = 0;
};

// The time of each call in the fastest of several growths with the same history. A call that is
// slow in all of them is slow because of the board; what the machine took from one is not included.
class FastestOfEach {
 public:
  explicit FastestOfEach(std::uint64_t calls) : calls_(calls, HUGE_VALF) {}

  void begin_growth() {
    next_ = 0;
    ++growths_;
  }
  // REQUIRES: at most `calls` calls in a growth.
  void add(double call) {
    float& fastest = calls_[next_++];
    fastest = std::min(fastest, static_cast<float>(call));
  }

  int growths() const { return growths_; }
  // REQUIRES: a growth has ended.
  double most() const { return *std::ranges::max_element(calls_); }

 private:
  std::vector<float> calls_;
  std::size_t next_ = 0;
  int growths_ = 0;
};

// Adds every member in random order, and measures each call in CPU time of the thread. `fastest`
// may be null.
template <typename Candidate>
Growth grow(Candidate& candidate, Workload& work, std::uint64_t members, FastestOfEach* fastest) {
  Samples calls;
  calls.reserve(members);
  if (fastest != nullptr) fastest->begin_growth();
  const double begin = time_so_far().wall;
  for (std::uint64_t i = 0; i < members; ++i) {
    const Id member(i);
    const double score = work.score();
    const double before = time_so_far().cpu;
    candidate.put(member, score);
    const double call = (time_so_far().cpu - before) * 1e9;
    calls.add(call);
    if (fastest != nullptr) fastest->add(call);
    candidate.tick_if_due();
  }
  const double gap = longest_gap(time_so_far().wall - begin) * 1e9;
  return {calls.most(), calls.at(0.999), gap};
}

// The candidates, full, and in steady state: every member has moved once on average.
class FullBoards {
 public:
  FullBoards(const RedisServers& servers, std::uint64_t members)
      : servers_(servers), members_(members), our_fastest_(members) {
    const std::size_t growths = members_ < 10'000'000 ? 3 : 2;
    fill(ours_, our_short_bytes_, nullptr, kShortScores);
    for (std::size_t i = 0; i < growths; ++i) {
      our_growths_.push_back(fill(ours_, our_bytes_, &our_fastest_));
    }
    std::thread filling([this] {
      for (const auto& server : servers_) server_bytes_.push_back(fill_server(*server));
    });
    skiplist_growth_ = fill(skiplist_, skiplist_bytes_);
    filling.join();
    check_alike();
    chase_ = std::make_unique<PointerChase>(std::span(&our_bytes_, 1));
  }

  void print_filling(ComparisonTable& table) const {
    const auto a_member = [this](std::size_t bytes) {
      return static_cast<double>(bytes) / static_cast<double>(members_);
    };
    TableRow bytes{"bytes a member", members_, Unit::bytes};
    if (members_ >= 1'000'000) bytes.goal.most = 42;
    Peers peers{.skiplist = a_member(skiplist_bytes_)};
    for (const std::size_t each : server_bytes_) peers.servers.push_back(a_member(each));
    bytes.add(a_member(our_bytes_), peers);
    table.print(bytes);
    table.note(fmt::format("by the registry's own count {:.1f}", a_member(ours_->counted_bytes())));
    TableRow short_scores{"bytes, scores of ten digits", members_, Unit::bytes};
    if (members_ >= 1'000'000) short_scores.goal.most = 36;
    short_scores.add(a_member(our_short_bytes_), {});
    table.print(short_scores);
    TableRow worst{"worst call while growing to it", members_};
    worst.goal.most = 1e6;
    TableRow rare{"1 call in 1000 is worse than", members_};
    for (const Growth& growth : our_growths_) {
      worst.add(growth.worst, {.skiplist = skiplist_growth_.worst, .bound = growth.gap});
      rare.add(growth.rare, {.skiplist = skiplist_growth_.rare});
    }
    table.print(worst);
    table.note(fmt::format("in the faster of {} growths alike no call took more than {:.2f} us",
                           our_fastest_.growths(), our_fastest_.most() / 1e3));
    table.print(rare);
  }

  // A round of one operation. The time to draw the workload is subtracted.
  void measure(const Plan& plan, std::size_t round, TableRow& row) {
    // Each round has other players and scores.
    Workload work(++rounds_run_, members_);
    Nobody nobody;
    const double drawing = time_of(nobody, plan.operation, work, plan.calls);
    double ours_now = 0;
    Peers peers;
    for (std::size_t turn = 0; turn < 3; ++turn) {
      switch ((round + turn) % 3) {
        case 0: ours_now = time_of(*ours_, plan.operation, work, plan.calls) - drawing; break;
        case 1:
          peers.skiplist = time_of(*skiplist_, plan.operation, work, plan.calls) - drawing;
          break;
        default:
          for (const auto& server : servers_) {
            peers.servers.push_back(server->run(plan.command, members_, plan.requests));
          }
      }
    }
    if (plan.is_bounded) peers.bound = 3 * chase_->run(kChaseSteps);
    if (round > 0) row.add(ours_now, peers);  // the first round is a warm-up
  }

 private:
  static constexpr std::size_t kChaseSteps = 50'000;
  static constexpr std::uint64_t kLongScores = std::uint64_t{1} << 53;
  static constexpr std::uint64_t kShortScores = 10'000'000'000;

  template <typename Candidate>
  Growth fill(std::unique_ptr<Candidate>& candidate, std::size_t& bytes,
              FastestOfEach* fastest = nullptr, std::uint64_t scores = kLongScores) const {
    candidate.reset();
    const std::size_t before = allocated_so_far();
    candidate = std::make_unique<Candidate>();
    Workload work(1, members_, scores);
    const Growth growth = grow(*candidate, work, members_, fastest);
    run(*candidate, Operation::update, work, members_);
    bytes = allocated_so_far() - before;
    return growth;
  }

  // Returns the bytes of the board.
  std::size_t fill_server(const RedisServer& server) const {
    const std::uint64_t before = server.bytes();
    server.fill("b", members_);
    (void)server.run(kUpdate, members_, members_);
    return server.bytes() - before;
  }

  // Ours and the skiplist have the same history.
  void check_alike() const {
    Workload work(2, members_);
    for (int i = 0; i < 1000; ++i) {
      const Id member = work.member();
      const double low = work.score();
      if (ours_->board().score(member) != skiplist_->skiplist.score(member) ||
          ours_->count(low, HUGE_VAL) != skiplist_->count(low, HUGE_VAL)) {
        throw std::runtime_error("the candidates disagree about " +
                                 std::string(std::string_view(member)));
      }
    }
  }

  const RedisServers& servers_;
  std::uint64_t members_;
  std::unique_ptr<OurBoard> ours_;
  std::size_t our_bytes_ = 0;
  std::size_t our_short_bytes_ = 0;  // for a board with scores of ten digits
  std::vector<Growth> our_growths_;
  FastestOfEach our_fastest_;
  std::unique_ptr<SkiplistPeer> skiplist_;
  std::size_t skiplist_bytes_ = 0;
  Growth skiplist_growth_;
  std::vector<std::size_t> server_bytes_;
  std::unique_ptr<PointerChase> chase_;
  std::uint64_t rounds_run_ = 1000;
};

}  // namespace

void compare_one_board(ComparisonTable& table, const RedisServers& servers, std::uint64_t members,
                       std::size_t rounds) {
  FullBoards boards(servers, members);
  const std::vector<Plan> all = plans(members);
  std::vector<TableRow> rows;
  for (const Plan& plan : all) rows.push_back({plan.name, members, Unit::time, plan.goal});
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (std::size_t i = 0; i < all.size(); ++i) boards.measure(all[i], round, rows[i]);
  }
  table.begin(fmt::format("One board of {} members", members));
  for (const TableRow& row : rows) table.print(row);
  boards.print_filling(table);
  for (const auto& server : servers) server->flush();
}

}  // namespace laurel
