// A writer is killed at random times, repeatedly in one directory. What comes back is exactly what
// it had played up to some operation, and includes every acknowledged one.
//
// LAUREL_CRASH_KILLS in the environment sets the number of kills.
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdlib>
#include <poll.h>
#include <random>
#include <sys/wait.h>
#include <unistd.h>

#include <doctest/doctest.h>

#include "crash_fixture.h"
#include "faults.h"
#include "long_form.h"
#include "pipe_protocol.h"

namespace laurel::crash {

namespace {

constexpr int kKills = 48;
constexpr int kKillsOfLong = 160;
constexpr int kLives = 8;  // per directory

int kills() {
  const char* given = std::getenv("LAUREL_CRASH_KILLS");
  return given != nullptr ? std::max(1, std::atoi(given)) : short_or_long(kKills, kKillsOfLong);
}

using Steady = std::chrono::steady_clock;

// How and when the writer ends.
struct End {
  enum class By : std::uint8_t { bytes, time, call };

  By by = By::bytes;
  std::uint64_t records = 0;           // at the latest after this number of records
  std::chrono::microseconds after{0};  // this long after its start
  Call call = Call::pages;             // in the middle of the n-th such call
  std::uint64_t nth = 0;
};

End random_end(std::mt19937_64& random) {
  End end;
  end.by = static_cast<End::By>(random() % 3);
  // Mostly soon, while files and boards are new; sometimes after many transactions.
  end.records = 1 + random() % (random() % 4 == 0 ? 2000 : 200);
  end.after = std::chrono::microseconds(random() % (random() % 2 == 0 ? 20'000 : 150'000));
  end.call = static_cast<Call>(random() % 3);
  end.nth = 1 + random() % 24;
  if (end.by == End::By::call) end.records = 5000;  // enough to reach the n-th call
  return end;
}

// What a writer reported before its end.
struct Report {
  std::uint64_t begun = 0;
  std::uint64_t acknowledged = 0;
  int status = 0;
};

// A writer's process, from its start to its end.
class Writer {
 public:
  Writer(const std::string& directory, std::uint64_t seed, Durability durability,
         std::uint64_t first, const End& end) {
    std::array<int, 2> pipe{};
    REQUIRE(::pipe(pipe.data()) == 0);
    report_.begun = report_.acknowledged = first;
    const bool dies = end.by == End::By::call;
    const std::array<std::string, 8> words = {
        LAUREL_CRASH_WRITER,
        directory,
        std::to_string(seed),
        std::string(kDurabilityWords[static_cast<std::size_t>(durability)]),
        std::to_string(first),
        std::to_string(pipe[1]),
        std::to_string(dies ? static_cast<int>(end.call) : -1),
        std::to_string(end.nth)};
    std::array<char*, 9> arguments{};
    for (std::size_t i = 0; i < words.size(); ++i) {
      arguments[i] = const_cast<char*>(words[i].c_str());
    }
    process_ = ::fork();
    REQUIRE(process_ >= 0);
    if (process_ == 0) {
      ::close(pipe[0]);
      ::execv(arguments[0], arguments.data());
      ::_exit(127);
    }
    ::close(pipe[1]);
    told_ = pipe[0];
  }
  ~Writer() { ::close(told_); }
  Writer(const Writer&) = delete;
  Writer& operator=(const Writer&) = delete;

  Report run(const End& end) {
    const auto start = Steady::now();
    std::uint64_t records = 0;
    bool ended = false;
    while (!ended) {
      const auto left = end.by == End::By::time
                            ? end.after - (Steady::now() - start)
                            : std::chrono::nanoseconds(std::chrono::seconds(60));
      if (left.count() <= 0 || !is_told(left)) break;
      ended = !take();
      if (end.by != End::By::time && ++records == end.records) break;
    }
    ::kill(process_, SIGKILL);
    while (take()) {
    }
    REQUIRE(::waitpid(process_, &report_.status, 0) == process_);
    return report_;
  }

 private:
  bool is_told(std::chrono::nanoseconds within) const {
    pollfd wanted{told_, POLLIN, 0};
    const auto seconds = std::chrono::duration_cast<std::chrono::seconds>(within);
    const timespec wait{seconds.count(), (within - seconds).count()};
    return ::ppoll(&wanted, 1, &wait, nullptr) > 0;
  }

  // Reads one record. False at the end of the pipe.
  bool take() {
    Told told;
    if (::read(told_, &told, sizeof told) != sizeof told) return false;
    (told.what == Told::begun ? report_.begun : report_.acknowledged) = told.number;
    return true;
  }

  int process_ = -1;
  int told_ = -1;
  Report report_;
};

// One directory, and its twin that is never killed.
class Directory {
 public:
  Directory(std::uint64_t seed, Durability durability)
      : seed_(seed),
        durability_(durability),
        history_(seed),
        now_(std::make_shared<Time>(history_.time(0))),
        twin_(make_twin(now_)) {}

  // Runs one writer until its end and checks what it left. Returns the number of operations that
  // the directory has now.
  std::uint64_t live(const End& end) {
    const std::uint64_t first = number_;
    Writer writer(path(), seed_, durability_, first, end);
    const Report report = writer.run(end);
    REQUIRE(WIFSIGNALED(report.status));
    REQUIRE(WTERMSIG(report.status) == SIGKILL);

    const Picture found = look(report);
    CHECK(difference(found, picture_of(*twin_)) == "");
    // Opening changed nothing that another opening sees.
    const auto again = open();
    CHECK(difference(picture_of(*again), found) == "");
    REQUIRE(again->flush());
    CHECK(difference(picture_of(*again), found) == "");
    return number_;
  }

 private:
  std::string path() const { return scratch_.path("boards"); }

  std::unique_ptr<Registry> open() const {
    Result<std::unique_ptr<Registry>> opened =
        open_registry({.path = path(), .durability = durability_, .now = now_});
    if (!opened) FAIL(opened.refusal().text());
    return std::move(*opened);
  }

  // Opens the registry; the twin plays the same number of operations.
  Picture look(const Report& report) {
    const auto registry = open();
    const std::uint64_t recovered = noted(*registry);
    CHECK(recovered >= report.acknowledged);
    REQUIRE(recovered <= report.begun);
    while (number_ < recovered) {
      *now_ = history_.time(++number_);
      history_.play(*twin_, number_);
      REQUIRE(note(*twin_, number_));
    }
    return picture_of(*registry);
  }

  std::uint64_t seed_;
  Durability durability_;
  History history_;
  std::shared_ptr<Time> now_;
  std::unique_ptr<Registry> twin_;
  Scratch scratch_;
  std::uint64_t number_ = 0;
};

}  // namespace

TEST_CASE(
    "acknowledged operations survive a kill, and what comes back is a prefix of the history") {
  int killed = 0;
  std::uint64_t operations = 0;
  for (std::uint64_t seed = 1; killed < kills(); ++seed) {
    CAPTURE(seed);
    std::mt19937_64 random(seed);
    const auto durability = static_cast<Durability>(seed % kDurabilityWords.size());
    Directory directory(seed, durability);
    std::uint64_t number = 0;
    for (int life = 0; life < kLives && killed < kills(); ++life, ++killed) {
      const End end = random_end(random);
      CAPTURE(life);
      CAPTURE(number);
      number = directory.live(end);
    }
    operations += number;
  }
  MESSAGE(killed << " kills, " << operations << " operations that survived");
  CHECK(operations > 0);
}

}  // namespace laurel::crash
