// twins.h - one board elsewhere and its local twin: everything is asked of both, and the answers
// must be the same.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../fake_store.h"
#include "contender.h"

namespace laurel {

// Text that two values share exactly when a caller could not tell them apart.
std::string shown_answer(const Result<Value>& answer);

class Twins {
 public:
  // The board is made at `now` with the fields; its name is drawn.
  Twins(const RemoteContender& contender, RemoteGround& ground, const Fields& fields, Time now,
        std::size_t servers = 1);

  // Asks both, through that server's connection, and requires the same answer. Returns it.
  Result<Value> ask(Ask what, std::uint64_t season = 0, std::size_t server = 0);
  template <typename T>
  T get(Ask what, std::uint64_t season = 0) {
    Result<Value> value = ask(std::move(what), season);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }
  // All of them at once of the remote, and one after the other of the twin: where the remote takes
  // them in that order, as it does a lane's posts, the answers are the same.
  void ask_at_once(std::vector<Ask> all);
  // Of the remote alone.
  Result<Value> ask_there(Ask what, std::uint64_t season = 0, std::size_t server = 0);

  // The fields are changed, on both.
  void change(const Fields& fields);
  // Everything that can be read, of every season kept.
  void compare();

  Remote& remote(std::size_t server = 0) { return *remotes_[server]; }
  const Spec& spec() const { return *spec_; }
  const std::string& name() const { return name_; }
  Time now;

 private:
  Request request(Ask what, std::uint64_t season);
  Result<Value> look_up_outcome(const Ask& what, Result<Value> answer);
  void write_spec(Spec spec);
  void compare_season(std::uint64_t season);

  const RemoteContender& contender_;
  std::vector<std::unique_ptr<Remote>> remotes_;
  FakeStore twin_;
  std::string name_;
  std::shared_ptr<const Spec> spec_;
  std::uint64_t revision_ = 0;
  RequestId last_ = 0;
};

// Fields by which a history's boards differ: order, keep, ties, ranking, decimals.
Fields random_fields(const RemoteContender& contender, std::uint64_t draw);

}  // namespace laurel
