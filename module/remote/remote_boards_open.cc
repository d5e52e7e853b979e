// Opens the remotes of a registry from the URLs and names in its options.
#include <algorithm>
#include <string_view>
#include <utility>

#include "base/limits.h"
#include "base/text.h"
#include "remote/archive/local_archiver.h"
#include "remote/limits.h"
#include "remote/remote_boards.h"

namespace laurel {

bool is_remote_name(std::string_view name) {
  const auto allowed = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-';
  };
  return !name.empty() && name.size() <= kRemoteNameBytesMax && std::ranges::all_of(name, allowed);
}

namespace {

using RemotesByName = std::map<std::string, std::unique_ptr<Remote>>;

Status check_players(const std::string& players, const RemotesByName& remotes) {
  if (players.empty()) return Done{};
  const auto remote = remotes.find(players);
  if (remote == remotes.end()) {
    return Refusal(Code::invalid, "field 'players' is \"{}\": no remote has that name",
                   escaped(players, kRemoteNameBytesMax));
  }
  const Status taken = remote->second->takes_players();
  if (taken) return Done{};
  return Refusal(Code::invalid, "field 'players' is \"{}\": {}",
                 escaped(players, kRemoteNameBytesMax), taken.refusal().text());
}

// The remote called "archive" must take copies of seasons, whatever boards it stores.
Status check_archive(const RemotesByName& remotes) {
  const auto archive = remotes.find(std::string(LocalArchiver::kSite));
  if (archive == remotes.end()) return Done{};
  const Status taken = archive->second->takes_copies();
  if (taken) return Done{};
  return Refusal(Code::invalid, "remote \"{}\" cannot archive seasons: {}", LocalArchiver::kSite,
                 taken.refusal().text());
}

}  // namespace

Result<std::unique_ptr<RemoteBoards>> RemoteBoards::open(const RemoteOptions& options) {
  if (options.urls.size() > kRemotesMax) {
    return Refusal(Code::invalid, "{} remotes are named; at most {} are allowed",
                   options.urls.size(), kRemotesMax);
  }
  if (options.timeout <= 0 || options.timeout > kRemoteTimeoutMax) {
    return Refusal(Code::invalid, "the timeout is {} s; it takes more than 0, and at most {}",
                   seconds_from_time(options.timeout), seconds_from_time(kRemoteTimeoutMax));
  }
  std::map<std::string, std::unique_ptr<Remote>> remotes;
  for (const auto& [name, url] : options.urls) {
    if (!is_remote_name(name)) {
      return Refusal(
          Code::invalid,
          "\"{}\" is not a remote's name: it takes 1 to {} letters, digits, \"_\" or \"-\"",
          escaped(name, kRemoteNameBytesMax), kRemoteNameBytesMax);
    }
    // Local boards work without; a board that names the remote is refused.
    if (!remotes_are_built() && name != LocalArchiver::kSite && options.players.empty()) continue;
    Result<std::unique_ptr<Remote>> remote = open_remote(url);
    if (!remote) {
      return Refusal(remote.refusal().code(), "remote \"{}\": {}", escaped(name, kRuleNameBytesMax),
                     remote.refusal().message());
    }
    remotes.emplace(name, std::move(*remote));
  }
  if (const Status taken = check_archive(remotes); !taken) return taken.refusal();
  if (const Status taken = check_players(options.players, remotes); !taken) return taken.refusal();
  return std::make_unique<RemoteBoards>(std::move(remotes), options.timeout, steady_now,
                                        options.players);
}

}  // namespace laurel
