// crash_writer - plays a history on a directory until it is killed.
//
//   crash_writer DIRECTORY SEED DURABILITY FIRST TOLD CALL NTH
//
//   FIRST   the number of operations that the directory has; the writer continues after them
//   TOLD    the descriptor to which it reports what it begins and what is acknowledged
//           (pipe_protocol.h)
//   CALL    with NTH: it is killed in the n-th call of that kind (faults.h); -1: never
//
// Exits with 2 if the directory is refused, and with 3 if its content is not as expected.
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <unistd.h>

#include "faults.h"
#include "history.h"
#include "pipe_protocol.h"

namespace laurel::crash {

namespace {

constexpr std::uint64_t kOperationsATick = 3;
constexpr std::uint64_t kTicksAFlush = 4;

void tell(int descriptor, const Told& told) {
  if (::write(descriptor, &told, sizeof told) != sizeof told) std::_Exit(4);
}

int run(const char* directory, std::uint64_t seed, Durability durability, std::uint64_t first,
        int told) {
  const History history(seed);
  const auto now = std::make_shared<Time>(history.time(first));
  Result<std::unique_ptr<Registry>> opened =
      Registry::open({.path = directory,
                      .durability = durability,
                      .clock = std::make_unique<ScriptClock>(now),
                      .log = Log([](Level, std::string_view) {}),
                      .secret = HashSecret::fixed(1)});
  if (!opened) {
    std::fprintf(stderr, "crash_writer: %s\n", opened.refusal().c_str());
    return 2;
  }
  Registry& registry = **opened;
  if (noted(registry) != first) return 3;
  for (std::uint64_t number = first + 1;; ++number) {
    tell(told, {Told::begun, number});
    *now = history.time(number);
    history.play(registry, number);
    if (!note(registry, number)) return 3;
    if (registry.commit() && durability == Durability::always) {
      tell(told, {Told::acknowledged, number});
    }
    if (number % kOperationsATick != 0) continue;
    registry.tick();
    if (number % (kOperationsATick * kTicksAFlush) != 0) continue;
    if (registry.flush()) tell(told, {Told::acknowledged, number});
  }
}

}  // namespace

}  // namespace laurel::crash

int main(int count, char** words) {
  using namespace laurel::crash;
  if (count != 8) return 1;
  const int call = std::atoi(words[6]);
  if (call >= 0) {
    faults::arm({.call = static_cast<Call>(call),
                 .nth = std::strtoull(words[7], nullptr, 10),
                 .way = Fault::Way::kills});
  }
  return run(words[1], std::strtoull(words[2], nullptr, 10),
             laurel::durability_from_word(words[3]).value(), std::strtoull(words[4], nullptr, 10),
             std::atoi(words[5]));
}
