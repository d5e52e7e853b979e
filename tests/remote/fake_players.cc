#include "fake_players.h"

#include "base/checks.h"

namespace laurel {

namespace {

struct RequestHandler {
  Registry& registry;

  static Result<Value> of(const std::optional<Profile>& profile) {
    if (!profile) return Value(std::optional<OwnedProfile>());
    return Value(std::optional(OwnedProfile::of(*profile)));
  }
  static Result<Value> of(const std::vector<Session>& sessions) {
    std::vector<OwnedSession> owned;
    for (const Session& session : sessions) owned.push_back(OwnedSession::of(session));
    return Value(std::move(owned));
  }

  Result<Value> operator()(const request::SavePlayer& what) const {
    const Status saved = registry.profiles().save(what.view(), registry.now());
    if (!saved) return saved.refusal();
    return Value(true);
  }
  Result<Value> operator()(const request::ReadPlayer& what) const {
    return of(registry.profiles().get(what.id));
  }
  Result<Value> operator()(const request::ReadPlayerByEmail& what) const {
    return of(registry.profiles().by_email(what.email));
  }
  Result<Value> operator()(const request::ReadNames& what) const {
    std::vector<std::string> names;
    for (const std::string& id : what.ids) {
      const std::optional<Profile> profile = registry.profiles().get(id);
      names.emplace_back(profile && profile->name ? *profile->name : std::string_view());
    }
    return Value(std::move(names));
  }
  Result<Value> operator()(const request::RecordSession& what) const {
    Result<std::string> id = registry.sessions().record(what.view(), registry.now());
    if (!id) return id.refusal();
    return Value(std::move(*id));
  }
  Result<Value> operator()(const request::SessionsOf& what) const {
    return of(registry.sessions().of_player(what.player, what.limit, what.before));
  }
  Result<Value> operator()(const request::SessionsIn& what) const {
    return of(registry.sessions().in_game(what.game, what.limit, what.before));
  }
  Result<Value> operator()(const request::ReadSession& what) const {
    const std::optional<Session> session = registry.sessions().get(what.player, what.id);
    if (!session) return Value(std::optional<OwnedSession>());
    return Value(std::optional(OwnedSession::of(*session)));
  }
  Result<Value> operator()(const request::ScoresOf& what) const {
    return Value(registry.scores_of(what.player));
  }
  Result<Value> operator()(const request::ForgetPlayer& what) const {
    if (const Status valid = check_player(what.player); !valid) return valid.refusal();
    registry.sessions().forget(what.player);
    return Value(registry.profiles().forget(what.player));
  }
  template <typename OfBoards>
  Result<Value> operator()(const OfBoards&) const {
    return Refusal(Code::unsupported, "it is no ask of players");
  }
};

}  // namespace

Result<Value> answer_of_players(Registry& registry, const Request& what) {
  return std::visit(RequestHandler{registry}, what);
}

}  // namespace laurel
