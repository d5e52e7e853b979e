#include "../fake_remote.h"
#include "candidate.h"

namespace laurel {

namespace {

class FakeGround final : public RemoteGround {
 public:
  std::unique_ptr<Remote> connect() override { return std::make_unique<FakeRemote>(store_); }

 private:
  std::shared_ptr<FakeStore> store_ = std::make_shared<FakeStore>();
};

[[maybe_unused]] const bool added =
    add_candidate({.name = "fake",
                   .make = [] { return std::make_unique<FakeGround>(); },
                   .engines = {{},
                               {{"engine", "sharded"}, {"shards", 4.0}},
                               {{"engine", "padded"}},
                               {{"engine", "sharded"}, {"shards", 3.0}, {"of", "padded"}}},
                   .keeps_unheard = false});

}  // namespace

}  // namespace laurel
