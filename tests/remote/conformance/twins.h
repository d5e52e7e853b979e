// twins.h - a remote board and its local twin: every request goes to both, and the answers must be
// equal.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "../fake_store.h"
#include "candidate.h"

namespace laurel {

// Two values have the same text exactly if a caller cannot tell them apart.
std::string shown_answer(const Result<Value>& answer);

class Twins {
 public:
  // Creates the board at `now` with the fields, under a random name.
  Twins(const RemoteCandidate& candidate, RemoteGround& ground, const Fields& fields, Time now,
        std::size_t servers = 1);

  // Asks both, the remote through that server's connection, and requires equal answers. Returns the
  // answer.
  Result<Value> ask(Request what, std::uint64_t season = 0, std::size_t server = 0);
  template <typename T>
  T get(Request what, std::uint64_t season = 0) {
    Result<Value> value = ask(std::move(what), season);
    if (!value) FAIL(value.refusal().text());
    return std::move(std::get<T>(*value));
  }
  // Sends all requests to the remote at once, and asks the twin one by one. The answers are equal
  // if the remote keeps the order, as it does for posts of one lane.
  void ask_at_once(std::vector<Request> all);
  // Asks the remote only.
  Result<Value> ask_candidate(Request what, std::uint64_t season = 0, std::size_t server = 0);

  // Changes the fields on both.
  void change(const Fields& fields);
  // Compares everything that can be read, in every season that is kept.
  void compare();

  Remote& remote(std::size_t server = 0) { return *remotes_[server]; }
  const Spec& spec() const { return *spec_; }
  const std::string& name() const { return name_; }
  const RemoteCandidate& candidate() const { return contender_; }
  Time now;

 private:
  SentRequest request(Request what, std::uint64_t season);
  Result<Value> look_up_outcome(const Request& what, Result<Value> answer);
  void write_spec(Spec spec);
  void compare_season(std::uint64_t season);

  const RemoteCandidate& contender_;
  std::vector<std::unique_ptr<Remote>> remotes_;
  FakeStore twin_;
  std::string name_;
  std::shared_ptr<const Spec> spec_;
  std::uint64_t revision_ = 0;
  RequestId last_ = 0;
};

// Random fields for a history: order or columns, keep, ties, ranking, decimals.
Fields random_fields(const RemoteCandidate& candidate, std::uint64_t draw);

}  // namespace laurel
