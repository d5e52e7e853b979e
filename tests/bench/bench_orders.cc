// What other orders beside a board's own cost a submission: boards with one of them and a plain one
// take turns in rounds, each in a registry of its own; a figure is the median of its rounds, and
// the ratio to the plain board. Every submission moves its player. The bytes are those of the other
// order alone, for each player of the board.
//
//   bench_orders [--members=N] [--groups=N] [--rounds=N] [--orders=N]
//
//   plain            a ranked board
//   two columns      its score has two
//   marks            half of the players changed since the mark
//   segments         of an attribute with `groups` values (bench_segments has other attributes)
//   cohorts of 50
//   groups           a board of groups, which are these values, is made from the board
//   sum, ratio, ...  a combined board is made from the board and from others with the same players
//
// --orders=7 has only the first seven, in a third of the time.
//
// The first figure is of single submissions, the second one of batches of 100. The table below has
// what reading costs on a board with marks.
#include <cstdio>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bench/counting_clock.h"
#include "board/spec/spec_change.h"
#include "measure.h"
#include "members.h"
#include "registry/registry.h"

namespace laurel {

namespace {

constexpr std::size_t kBurst = 20'000;  // submissions of each measurement
constexpr std::size_t kBatch = 100;

using Fields = std::vector<std::pair<const char*, FieldValue>>;

SpecChange spec_of(const Fields& fields) {
  SpecChange spec;
  for (const auto& [field, value] : fields) {
    if (!spec.set(field, value)) std::fprintf(stderr, "%s is refused\n", field);
  }
  return spec;
}

struct Kind {
  const char* title;
  double goal;         // the ratio of single submissions; 0: none
  Fields fields;       // of the board, besides those of the plain one
  Fields derived;      // of a board that is made from it; empty: none
  std::size_t others;  // boards that this one is made from, too
  bool has_attributes;
};

const std::vector<Kind>& kinds() {
  static const std::vector<Kind> kAll = {
      {"plain", 0, {}, {}, 0, false},
      {"two columns",
       1.05,
       {{"columns", "laps desc 0 0 99999, seconds asc 0 0 99999"}},
       {},
       0,
       false},
      {"marks", 2.2, {}, {}, 0, false},
      {"segments", 2.0, {{"segments", "clan"}}, {}, 0, true},
      {"cohorts of 50", 0, {{"cohorts", 50.0}}, {}, 0, false},
      {"groups: sum", 2.2, {}, {{"engine", "groups"}, {"source", "a"}, {"group", "clan"}}, 0, true},
      {"groups: best 5",
       2.6,
       {},
       {{"engine", "groups"}, {"source", "a"}, {"group", "clan"}, {"best", 5.0}},
       0,
       true},
      {"sum of 2", 2.0, {}, {{"engine", "combined"}, {"sources", "a,b"}}, 1, false},
      {"sum of 5", 0, {}, {{"engine", "combined"}, {"sources", "a,b,c,d,e"}}, 4, false},
      {"ratio", 2.0, {}, {{"engine", "combined"}, {"sources", "a,b"}, {"take", "ratio"}}, 1, false},
      {"count", 2.0, {}, {{"engine", "combined"}, {"sources", "a,b"}, {"take", "count"}}, 1, false},
      {"firsts",
       2.0,
       {},
       {{"engine", "combined"}, {"sources", "a,b"}, {"take", "firsts"}},
       1,
       false}};
  return kAll;
}

class Candidate {
 public:
  Candidate(const Kind& kind, std::uint64_t members, std::uint64_t groups)
      : title(kind.title), goal(kind.goal), members_(members) {
    Fields fields = {{"keep", "latest"}};
    fields.insert(fields.end(), kind.fields.begin(), kind.fields.end());
    if (std::string_view(kind.title) != "two columns") fields.emplace_back("decimals", 0.0);
    board_ = open("a", fields);
    for (std::uint64_t i = 0; kind.has_attributes && i < members; ++i) {
      AttributeChanges changes;
      (void)changes.add("clan", std::to_string(random_() % groups));
      (void)registry_.profiles().save(
          {.id = Id(i), .name = std::nullopt, .email = std::nullopt, .attributes = changes.text()},
          registry_.now());
    }
    fill(*board_);
    for (std::size_t i = 0; i < kind.others; ++i) {
      fill(*open(std::string(1, static_cast<char>('b' + i)), fields));
    }
    if (!kind.derived.empty()) derived_ = open("made", kind.derived);
    is_marked_ = std::string_view(kind.title) == "marks";
  }

  void run(bool counts) {
    if (is_marked_) change_half(counts);
    measure(single, counts, [this] {
      for (std::size_t i = 0; i < kBurst; ++i) submit(*board_, Id(random_() % members_));
    });
    std::vector<Id> ids;
    std::vector<Submission> results;
    for (std::size_t i = 0; i < kBurst; ++i) ids.emplace_back(random_() % members_);
    for (const Id& id : ids) results.push_back({.player = id, .score = score()});
    measure(batch, counts, [&] {
      for (std::size_t i = 0; i < kBurst; i += kBatch) {
        board_->submit_all(std::span(results).subspan(i, kBatch),
                           [](std::size_t, const Refusal&) {});
      }
    });
  }

  // What a rank, a rank at the mark, and a top 100 cost, the last one new and again.
  void read(bool counts) {
    measure(rank, counts, [this] {
      for (std::size_t i = 0; i < kBurst; ++i)
        use(board_->rank(Id(random_() % members_), std::nullopt));
    });
    if (is_marked_) {
      measure(since, counts, [this] {
        for (std::size_t i = 0; i < kBurst; ++i) {
          use(board_->since(Id(random_() % members_)));
        }
      });
    }
    constexpr std::size_t kPages = 200;
    Entries entries;
    measure(
        new_top, counts,
        [&] {
          for (std::size_t i = 0; i < kPages; ++i) {
            submit(*board_, Id(random_() % members_));
            show(entries);
          }
        },
        kPages);
    measure(
        same_top, counts,
        [&] {
          for (std::size_t i = 0; i < kPages; ++i) show(entries);
        },
        kPages);
  }

  std::size_t bytes() const {
    return board_->bytes() + (derived_ == nullptr ? 0 : derived_->bytes());
  }

  const char* title;
  double goal;
  Samples single, batch, mark, rank, since, new_top, same_top;

 private:
  Board* open(const std::string& name, const Fields& fields) {
    return registry_.get(*registry_.open(name, spec_of(fields)));
  }
  template <typename Work>
  static void measure(Samples& samples, bool counts, Work work, std::size_t times = kBurst) {
    const Spent before = time_so_far();
    work();
    if (counts) samples.add((time_so_far() - before).cpu * 1e9 / static_cast<double>(times));
  }
  double score() { return static_cast<double>(random_() % 10'000'000'000); }
  void submit(Board& board, const Id& player) {
    Submission result{.player = player, .score = score()};
    ColumnValues values{};
    if (const ScoreColumns* const columns = board.columns().get()) {
      values = {
          {static_cast<double>(random_() % 100'000), static_cast<double>(random_() % 100'000)}, 2};
      result.set_values(*columns, values);
    }
    (void)board.submit(WriteMode::submit, result);
  }
  void fill(Board& board) {
    for (std::uint64_t i = 0; i < members_; ++i) submit(board, Id(i));
  }
  void change_half(bool counts) {
    measure(
        mark, counts, [this] { (void)board_->mark(); }, 1);
    for (std::uint64_t i = 0; i < members_ / 2; ++i) submit(*board_, Id(2 * i));
  }
  // Keeps the compiler from leaving out a read whose answer has no other use.
  template <typename Answer>
  void use(const Answer& answer) {
    if (answer) used_ = used_ + 1;
  }
  // Reads all scores of the top, and all changes of ranks, if there are any.
  void show(Entries& entries) {
    entries.clear();
    board_->read(0, 100, entries);
    const auto changes = board_->rank_changes(entries, changes_);
    double scores = 0;
    double climbed = 0;
    for (std::size_t i = 0; i < entries.size(); ++i) {
      scores += entries[i].score;
      if (!changes.empty()) climbed += changes[i].value_or(0);
    }
    use(std::optional(scores + climbed));
  }

  std::uint64_t members_;
  std::mt19937_64 random_{1};
  Registry registry_{{.clock = std::make_unique<CountingClock>(), .secret = HashSecret::fixed(1)}};
  Board* board_ = nullptr;
  const Board* derived_ = nullptr;
  bool is_marked_ = false;
  volatile std::size_t used_ = 0;
  std::vector<std::optional<double>> changes_;
};

void print_reads(const Candidate& plain, const Candidate& marked) {
  const auto row = [](const char* what, const Samples& figure, const Samples& of, double goal) {
    std::printf("%-30s %9.0f ns  %5.2f  goal %.1f\n", what, figure.median(),
                figure.median() / of.median(), goal);
  };
  std::printf("%-30s %9.0f ns         goal 50,000 ns\n", "a mark", marked.mark.median());
  row("rank, and rank at the mark", marked.since, plain.rank, 4.0);  // a rank, and 3 x a rank
  row("top 100 after a submission", marked.new_top, plain.new_top, 3.0);
  row("top 100 when nothing changed", marked.same_top, plain.same_top, 1.0);
}

void run(std::uint64_t members, std::uint64_t groups, std::size_t rounds, std::size_t orders) {
  std::vector<std::unique_ptr<Candidate>> all;
  for (const Kind& kind : kinds()) {
    if (all.size() == orders) break;
    all.push_back(std::make_unique<Candidate>(kind, members, groups));
  }
  for (std::size_t round = 0; round <= rounds; ++round) {
    for (const auto& each : all) each->run(round > 0);
  }
  const Candidate& plain = *all.front();
  std::printf("%-16s %14s %21s %11s\n", "order", "single", "batches of 100", "bytes");
  for (const auto& each : all) {
    const double ratio = each->single.median() / plain.single.median();
    std::printf("%-16s %6.0f ns %5.2f %9.0f ns %5.2f %11.1f", each->title, each->single.median(),
                ratio, each->batch.median(), each->batch.median() / plain.batch.median(),
                (static_cast<double>(each->bytes()) - static_cast<double>(plain.bytes())) /
                    static_cast<double>(members));
    if (each->goal != 0)
      std::printf("  goal %.2f%s", each->goal, ratio <= each->goal ? "" : ", missed");
    std::printf("\n");
  }
  if (all.size() < 3) return;
  Candidate& marked = *all[2];
  for (std::size_t round = 0; round <= rounds; ++round) {
    all.front()->read(round > 0);
    marked.read(round > 0);
  }
  print_reads(plain, marked);
}

}  // namespace

}  // namespace laurel

int main(int argc, char** argv) {
  const std::uint64_t members = laurel::option(argc, argv, "members", 1'000'000);
  const std::uint64_t groups = laurel::option(argc, argv, "groups", 10'000);
  std::printf("%llu members, %llu groups, load %.1f\n", static_cast<unsigned long long>(members),
              static_cast<unsigned long long>(groups), laurel::load_average());
  laurel::run(members, groups, laurel::option(argc, argv, "rounds", 15),
              laurel::option(argc, argv, "orders", laurel::kinds().size()));
}
