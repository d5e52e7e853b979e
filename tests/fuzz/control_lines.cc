// What comes through the control socket: any line is an order or is refused, an order that was read
// is written and read again as the same, a registry carries it out or refuses it, and what answers
// is read back. A server's answer may be any line, too.
#include <memory>

#include "control/moderation.h"
#include "fuzz/target.h"

namespace laurel::fuzz {
namespace {

// A registry with the board "b", with another of columns, "c", and with results to take back.
std::unique_ptr<Registry> new_registry() {
  auto fresh =
      std::make_unique<Registry>(RegistryOptions{.log = Log([](Level, std::string_view) {})});
  SpecChange kept;
  (void)kept.set("history", 5.0);
  const auto board = fresh->open("b", kept);
  (void)fresh->get(*board)->submit(WriteMode::submit, {.player = "ada", .score = 5, .at = 1000});
  SpecChange columns;
  (void)columns.set("columns", "laps, seconds asc 2");
  (void)fresh->open("c", columns);
  return fresh;
}

// It is made again now and then, since it keeps what orders leave behind: seasons, bans, players.
Registry& registry() {
  constexpr unsigned kOrders = 100;
  static unsigned orders = 0;
  static std::unique_ptr<Registry> used;
  if (orders++ % kOrders == 0) used = new_registry();
  return *used;
}

bool same(const Moderation& a, const Moderation& b) {
  return a.kind == b.kind && a.board == b.board && a.player == b.player && a.value == b.value;
}

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel;
  using laurel::fuzz::must;
  const std::string line(reinterpret_cast<const char*>(data), size);
  (void)read_answer(line);
  const Result<Moderation> order = read_moderation(line);
  if (!order) {
    must(order.refusal().code() == Code::bad_data, "what is no order is bad_data");
    return 0;
  }
  const std::string written = line_of(*order);
  must(written.find('\n') == std::string::npos, "an order is one line");
  if (written.size() <= kControlLineBytesMax) {
    const Result<Moderation> again = read_moderation(written);
    must(again && fuzz::same(*order, *again), "an order is read as it was written");
  }
  const Result<std::string> done = moderate(fuzz::registry(), *order);
  const std::string answer = answer_line(done);
  must(answer.find('\n') == std::string::npos, "an answer is one line");
  if (answer.size() > kControlLineBytesMax) return 0;
  const Result<std::string> heard = read_answer(answer);
  must(static_cast<bool>(heard) == static_cast<bool>(done), "an answer is read as it was meant");
  must(!done || *heard == *done, "a sentence is read as it was written");
  return 0;
}
