#include "candidate.h"

#include <doctest/doctest.h>

namespace laurel {

namespace {

std::vector<RemoteCandidate>& candidates() {
  static std::vector<RemoteCandidate> all;
  return all;
}

}  // namespace

bool add_candidate(RemoteCandidate candidate) {
  candidates().push_back(std::move(candidate));
  return true;
}

void each_remote(const std::function<void(const RemoteCandidate&, RemoteGround&)>& test) {
  for (const RemoteCandidate& candidate : candidates()) {
    CAPTURE(candidate.name);
    const std::unique_ptr<RemoteGround> ground = candidate.make();
    if (ground) test(candidate, *ground);
  }
}

}  // namespace laurel
