// Adds DynamoDB to the suite that every remote must pass.
#include "../conformance/candidate.h"

#include "local_engine.h"
#include "long_form.h"
#include "sender.h"

namespace laurel {

namespace {

class Table final : public RemoteGround {
 public:
  explicit Table(const std::string& endpoint) : url_(fresh_url(endpoint)) {}

  std::unique_ptr<Remote> connect() override {
    Result<std::unique_ptr<Remote>> remote = open_remote(url_);
    if (!remote) FAIL(remote.refusal().text());
    return std::move(*remote);
  }

 private:
  std::string url_;
};

#if defined(__SANITIZE_THREAD__)
constexpr int kHistories = 1;  // the threads exchange the same things in each
constexpr int kSteps = 40;
#else
constexpr int kHistories = 1;
constexpr int kSteps = 60;
#endif
constexpr int kHistoriesOfLong = 3;

std::unique_ptr<RemoteGround> make_table() {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return nullptr;
  return std::make_unique<Table>(*endpoint);
}

[[maybe_unused]] const bool added =
    add_candidate({.name = "dynamodb",
                   .make = make_table,
                   .engines = {{{"engine", "padded"}},
                               {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}}},
                   .counts_players = [](const Spec&) { return false; },
                   .histories = short_or_long(kHistories, kHistoriesOfLong),
                   .steps = kSteps});

}  // namespace

}  // namespace laurel
