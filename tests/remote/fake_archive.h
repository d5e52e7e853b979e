// fake_archive.h - copies of ended seasons in the fake store. Each copy is a board of the store's
// registry that holds the rows written so far.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <tuple>

#include "registry/registry.h"
#include "remote/remote.h"
#include "remote/request/request.h"

namespace laurel {

class FakeCopies {
 public:
  struct Copy {
    std::optional<BoardHandle> handle;  // set once a row was written
    SpecText spec;
    SeasonFacts facts;
    bool whole = false;
    std::uint64_t copier = 0;  // token of the server whose turn it is; 0: none
    Time copier_at = 0;
    std::string to;
  };

  explicit FakeCopies(Registry& registry) : registry_(registry) {}

  static bool is_asked(const SentRequest& request);
  // Returns the answer. If the copy itself has to be read, sets `copy` and returns nothing.
  // REQUIRES: is_asked(request).
  std::optional<Result<Value>> answer(const SentRequest& request, const Copy*& copy);
  // Null if there is no such copy.
  const Copy* find(const Target& target) const;
  Board& board(const Copy& copy) const { return *registry_.get(*copy.handle); }

 private:
  using Name = std::tuple<std::string, Time, std::uint64_t>;

  Copy& of(const Target& target) { return copies_[{target.board, *target.copy_of, target.season}]; }
  Result<Value> write(const SentRequest& request, const request::CopySeason& what);
  Result<Value> take(const SentRequest& request, const request::TakeCopy& what);
  Result<Value> forget(const std::string& player);

  Registry& registry_;
  std::map<Name, Copy> copies_;
  std::uint64_t forgets_ = 0;
  int made_ = 0;
};

}  // namespace laurel
