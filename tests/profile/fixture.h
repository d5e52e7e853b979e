// fixture.h - profiles and sessions in an in-memory store, with the same ids in each run.
#pragma once

#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "profile/sessions.h"
#include "store/memory_store.h"

namespace laurel {

struct Fixture {
  static constexpr Time kStart = 1'700'000'000 * kSecond;

  Time now = kStart;
  std::unique_ptr<Store> store = make_memory_store();
  Profiles profiles{Space(*store, 1)};
  Sessions sessions{profiles,
                    Ulids([random = std::mt19937_64(1)](std::span<std::byte> out) mutable {
                      for (std::byte& byte : out) byte = static_cast<std::byte>(random());
                    })};

  void save(const ProfileFields& fields) {
    now += kSecond;
    if (const Status saved = profiles.save(fields, now); !saved) FAIL(saved.refusal().text());
  }
  std::string record(const NewSession& session) {
    now += kSecond;
    const Result<std::string> id = sessions.record(session, now);
    if (!id) FAIL(id.refusal().text());
    return *id;
  }
};

// "ok" or the refusal's code word.
template <typename T>
std::string verdict(const Result<T>& result) {
  return result ? "ok" : std::string(word(result.refusal().code()));
}

inline std::string shown(std::optional<std::string_view> text) {
  return text ? std::string(*text) : "-";
}

// "alice alice42 alice@x.com 145200 in 87", or "nobody".
inline std::string shown(const std::optional<Profile>& profile) {
  if (!profile) return "nobody";
  return fmt::format("{} {} {} {} in {}", profile->id, shown(profile->name), shown(profile->email),
                     profile->lifetime_score, profile->games_played);
}

inline std::string shown(const std::optional<Session>& session) {
  if (!session) return "none";
  return fmt::format("{} {} {} in {} s", session->player, session->game, session->score,
                     session->seconds);
}

inline std::vector<std::string> ids(const std::vector<Session>& sessions) {
  std::vector<std::string> out;
  for (const Session& session : sessions) out.emplace_back(session.id);
  return out;
}

// An id with the number at its end, so that such ids sort by their numbers.
inline std::string ulid(int number) { return fmt::format("01ARYZ6S41{:016}", number); }

// Ids that look like parts of keys, or are prefixes of each other.
inline const std::vector<std::string> kTrickyIds = {"a",
                                                    "a#b",
                                                    "b",
                                                    "a#",
                                                    "#",
                                                    "a\1",
                                                    "PLAYER#a",
                                                    "EMAIL#x",
                                                    "SESSION#",
                                                    "a#PROFILE",
                                                    "GAME#a#b",
                                                    "zzzz",
                                                    "\xFF\xFF",
                                                    "é",
                                                    "~x",
                                                    "0",
                                                    "a#b#c",
                                                    "PROFILE",
                                                    "{a}",
                                                    std::string(255, 'x'),
                                                    std::string(254, 'x'),
                                                    std::string(255, '\xFF')};

}  // namespace laurel
