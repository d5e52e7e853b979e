// fake_copies.h - copies of seasons in the engine that tests put elsewhere: boards of its registry,
// each with the rows that were written.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "board/registry.h"
#include "remote/ask.h"
#include "remote/remote.h"

namespace laurel {

class FakeCopies {
 public:
  struct Copy {
    std::optional<BoardHandle> handle;  // once a row was written
    SpecText spec;
    SeasonFacts facts;
    bool whole = false;
    std::uint64_t copier = 0;  // whose turn it is; 0: nobody's
    Time copier_at = 0;
    std::string to;
  };

  explicit FakeCopies(Registry& registry) : registry_(registry) {}

  static bool is_asked(const Request& request);
  // The answer; nothing where the copy, which is written to `copy`, is to be read.
  // REQUIRES: is_asked(request).
  std::optional<Result<Value>> answer(const Request& request, const Copy*& copy);
  // Null where there is no such copy.
  const Copy* find(const Target& target) const;
  Board& board(const Copy& copy) const { return *registry_.get(*copy.handle); }

 private:
  using Name = std::tuple<std::string, Time, std::uint64_t>;

  Copy& of(const Target& target) { return copies_[{target.board, *target.copy_of, target.season}]; }
  Result<Value> write(const Request& request, const ask::CopySeason& what);
  Result<Value> take(const Request& request, const ask::TakeCopy& what);
  Result<Value> forget(const std::string& player);

  Registry& registry_;
  std::map<Name, Copy> copies_;
  std::uint64_t forgets_ = 0;
  int made_ = 0;
};

}  // namespace laurel
