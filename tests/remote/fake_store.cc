#include "fake_store.h"

#include <algorithm>

#include "base/checks.h"
#include "base/text.h"
#include "board/rules.h"
#include "fake_players.h"
#include "remote/request/spec_codec.h"

namespace laurel {

namespace {

class StoreClock final : public Clock {
 public:
  explicit StoreClock(std::shared_ptr<Time> now) : now_(std::move(now)) {}
  Time now() override { return *now_; }

 private:
  std::shared_ptr<Time> now_;
};

Refusal no_such_board(const std::string& name) {
  return {Code::unknown, "no board is called \"{}\"", escaped(name, 64)};
}

Refusal unanswerable() { return {Code::unsupported, "it cannot be asked of a past season"}; }

// Copies what the views point to into the answer.
void own(Entries& entries) {
  for (Entry& entry : entries) {
    entry.player = entries.arena().keep(entry.player);
    if (entry.data) entry.data = entries.arena().keep(*entry.data);
  }
}

}  // namespace

// Sets the score that a server's rule decided. A local board takes such a score only from a rule.
class FakeStore::Forced final : public Rules {
 public:
  RuleId open(std::string_view) override { return 0; }
  bool wants_held(RuleId) const override { return false; }
  Result<Verdict> judge(RuleId, const RuleCase&, RuleFailure) override {
    return Verdict{.score = score, .data = std::nullopt};
  }
  Refusal overrule(RuleId, std::string_view, std::string_view, std::string reason) override {
    return {Code::out_of_range, "{}", reason};
  }

  std::optional<double> score;
};

FakeStore::FakeStore() : now_(std::make_shared<Time>(0)) {
  auto forced = std::make_unique<Forced>();
  forced_ = forced.get();
  registry_ =
      std::make_unique<Registry>(RegistryOptions{.clock = std::make_unique<StoreClock>(now_),
                                                 .log = Log([](Level, std::string_view) {}),
                                                 .rules = std::move(forced),
                                                 .secret = HashSecret::fixed(1)});
  copies_ = std::make_unique<FakeCopies>(*registry_);
}

FakeStore::~FakeStore() = default;

Board* FakeStore::board(const std::string& name) const {
  const auto found = boards_.find(name);
  if (found == boards_.end()) return nullptr;
  *now_ = found->second.now;
  return registry_->get(found->second.handle);
}

std::pair<std::uint64_t, std::uint64_t> FakeStore::version(const std::string& name) const {
  const Board* const standing = board(name);
  if (standing == nullptr) return {};
  return {standing->epoch(), standing->version()};
}

// The execution of one request.
class FakeStore::Asked {
 public:
  Asked(FakeStore& store, const SentRequest& request) : store_(store), request_(request) {}

  Result<Value> answer() {
    if (FakeCopies::is_asked(request_)) {
      std::optional<Result<Value>> told = store_.copies_->answer(request_, copy_);
      if (told) return std::move(*told);
      read_ = board_ = &store_.copies_->board(*copy_);
    } else if (const Status there = find_board(); !there) {
      return there.refusal();
    }
    return answer_what();
  }

 private:
  Result<Value> answer_what();

  // Finds the board, or its season, if it exists.
  Status find_board() {
    const auto found = store_.boards_.find(request_.target.board);
    kept_ = found == store_.boards_.end() ? nullptr : &found->second;
    board_ = kept_ == nullptr ? nullptr : store_.registry_->get(kept_->handle);
    read_ = board_;
    if (const std::uint64_t season = request_.target.season; season != 0 && board_ != nullptr) {
      past_ = board_->archived(season);
      read_ = past_;
      if (past_ == nullptr) {
        return Refusal(Code::unknown, "season {} of board \"{}\" is not kept", season,
                       escaped(request_.target.board, 64));
      }
    }
    return Done{};
  }

  // ---- the board itself, which may be missing

  Result<Value> of(const request::ReadSpec&) {
    if (kept_ == nullptr) return Value(KeptSpec());
    KeptSpec kept = kept_->spec;
    kept.created = board_->created();
    kept.seasons = board_->seasons();
    return Value(std::move(kept));
  }

  Result<Value> of(const request::WriteSpec& what) {
    if (what.revision != (kept_ == nullptr ? 0 : kept_->spec.revision)) return Value(false);
    Result<Spec> spec = spec_of(what.spec, "");
    if (!spec) return spec.refusal();
    spec->rule = "forced";
    if (kept_ == nullptr) {
      Registry& registry = *store_.registry_;
      kept_ = &store_.boards_[request_.target.board];
      kept_->now = request_.now;
      kept_->handle = registry.adopt(registry.make_board(request_.target.board, std::move(*spec)));
    } else {
      board_->update(std::move(*spec));
    }
    kept_->spec = {true, what.spec, what.revision + 1};
    return Value(true);
  }

  Result<Value> of(const request::Drop&) {
    const Result<bool> dropped = store_.registry_->drop(request_.target.board);
    store_.boards_.erase(request_.target.board);
    return Value(*dropped);
  }

  // ---- writing

  // Applies the post if it is new. Otherwise answers that it was applied before, or that it is too
  // early.
  template <typename Value_, typename Do>
  Result<Value> once(const std::optional<PostNumber>& post, const std::string& player, Value_ again,
                     Do act) {
    if (!post) return act();
    std::uint64_t& last = kept_->posts[{lane_of(board_->spec(), player), post->server}];
    if (post->number <= last) return Value(std::move(again));
    if (post->before != 0 && last < post->before) {
      return Refusal(Code::unavailable, "post {}, which comes before it, is missing", post->before);
    }
    last = post->number;
    return act();
  }

  HeldEntry seen(const std::string& player) const {
    const std::optional<Entry> entry = board_->get(player);
    if (!entry) return {};
    HeldEntry seen{.score = entry->score, .at = entry->at, .data = std::nullopt};
    if (entry->data) seen.data = std::string(*entry->data);
    return seen;
  }

  bool repeats(const std::optional<std::string>& id) const {
    const auto known = id ? kept_->ids.find(*id) : kept_->ids.end();
    return known != kept_->ids.end() && *store_.now_ < known->second + kDay;
  }
  // Notes the id of a result that the board took.
  void accepted(const std::optional<std::string>& id) {
    if (id && !repeats(id)) kept_->ids[*id] = *store_.now_;
  }

  Result<Outcome> write(WriteMode how, const OwnedSubmission& what) {
    const Submission submission = what.view();
    const WriteMode mode = how == WriteMode::add ? how : WriteMode::submit;
    if (how == WriteMode::hold) store_.forced_->score = submission.score;
    const Result<Outcome> outcome =
        how == WriteMode::set ? board_->set(submission) : board_->submit(mode, submission);
    store_.forced_->score.reset();
    if (outcome) accepted(what.id);
    return outcome;
  }

  Result<Value> of(const request::Write& what) {
    if (board_ == nullptr) return no_such_board(request_.target.board);
    const std::string& player = what.what.player;
    if (what.expected && (!what.post || !applied(*what.post, player)) &&
        *what.expected != seen(player)) {
      Written written;
      written.stale = true;
      return Value(written);
    }
    Written again;
    again.again = true;
    return once(what.post, player, again, [&]() -> Result<Value> {
      const std::optional<Entry> before = board_->get(player);
      Change change{.player = player, .board = board_->name()};
      change.columns = board_->columns();
      if (before) {
        change.previous = before->score;
        change.previous_rank = before->rank;
      }
      const std::size_t position = board_->position(player).value_or(board_->size());
      const Result<Outcome> outcome = write(what.how, what.what);
      if (!outcome) return outcome.refusal();
      Written written;
      written.score = outcome->score;
      written.changed = outcome->changed;
      if (what.report) {
        change.changed = outcome->changed;
        if (const std::optional<Entry> after = board_->get(player)) {
          change.score = after->score;
          change.rank = after->rank;
          change.at = after->at;
          const std::size_t now = *board_->position(player);
          change.passed = now < position ? position - now : 0;
        } else {  // the result was accepted before
          change.at = time_from_seconds(what.what.at.value_or(0)).value_or(0);
        }
        written.change = std::move(change);
      }
      return Value(std::move(written));
    });
  }

  bool applied(const PostNumber& post, const std::string& player) const {
    const auto last = kept_->posts.find({lane_of(board_->spec(), player), post.server});
    return last != kept_->posts.end() && post.number <= last->second;
  }

  Result<Value> of(const request::WriteAll& what) {
    if (board_ == nullptr) return no_such_board(request_.target.board);
    std::vector<Submission> submissions;
    for (const OwnedSubmission& each : what.what) submissions.push_back(each.view());
    WrittenAll all;
    all.changed = board_->submit_all(submissions, [&](std::size_t index, const Refusal& refusal) {
      all.refused.emplace_back(index, refusal);
    });
    auto refused = all.refused.begin();
    for (std::size_t i = 0; i < what.what.size(); ++i) {
      if (refused != all.refused.end() && refused->first == i) {
        ++refused;
      } else {
        accepted(what.what[i].id);
      }
    }
    return Value(std::move(all));
  }

  Result<Value> of(const request::Join& what) {
    if (board_ == nullptr) return no_such_board(request_.target.board);
    Written written;
    if (what.expected && *what.expected != seen(what.what.player)) {
      written.stale = true;
      return Value(written);
    }
    if (what.how == WriteMode::hold) store_.forced_->score = what.what.score;
    const Result<bool> joined = board_->join(what.what.view(), what.with_score);
    store_.forced_->score.reset();
    if (!joined) return joined.refusal();
    written.changed = *joined;
    written.score = board_->score(what.what.player);
    return Value(written);
  }

  template <typename T>
  static Result<Value> plain(const Result<T>& result) {
    if (!result) return result.refusal();
    return Value(*result);
  }
  static Result<Value> count(const Result<std::size_t>& result) {
    if (!result) return result.refusal();
    return Value(static_cast<std::uint64_t>(*result));
  }

  Result<Value> of(const request::Remove& what) { return plain(board_->remove(what.player)); }
  Result<Value> of(const request::Clear&) { return count(board_->clear()); }
  Result<Value> of(const request::Leave& what) { return plain(board_->leave(what.player)); }
  Result<Value> of(const request::Ban& what) {
    return once(what.post, what.player, false, [&] { return plain(board_->ban(what.player)); });
  }
  Result<Value> of(const request::Unban& what) {
    return once(what.post, what.player, false, [&] { return plain(board_->unban(what.player)); });
  }
  Result<Value> of(const request::Banned&) { return Value(board_->banned()); }
  Result<Value> of(const request::Forget& what) {
    if (const Status valid = check_player(what.player); !valid) return valid.refusal();
    return once(what.post, what.player, std::uint64_t{0}, [&]() -> Result<Value> {
      return Value(static_cast<std::uint64_t>(board_->forget(what.player)));
    });
  }
  Result<Value> of(const request::Attempts& what) {
    if (past_ != nullptr) return Value(std::optional<AttemptsOf>());
    return Value(board_->attempts(what.player));
  }
  Result<Value> of(const request::Grant& what) {
    return plain(board_->grant(what.player, what.more));
  }
  Result<Value> of(const request::ReadHearing& what) {
    SeasonsHeard heard;
    const auto known = kept_->hearings.find(what.name);
    if (known != kept_->hearings.end()) heard.hearing = known->second;
    heard.created = board_->created();
    heard.running = board_->season().number;
    for (const std::uint64_t number : board_->seasons()) {
      if (number != heard.running) heard.past.push_back(board_->archived(number)->season());
    }
    return Value(std::move(heard));
  }
  Result<Value> of(const request::WriteHearing& what) {
    const auto known = kept_->hearings.find(what.name);
    const auto held =
        known == kept_->hearings.end() ? std::nullopt : std::optional<HearingState>(known->second);
    if (held != what.expected) return Value(false);
    if (what.hearing) {
      kept_->hearings.insert_or_assign(what.name, *what.hearing);
    } else {
      kept_->hearings.erase(what.name);
    }
    return Value(true);
  }
  Result<Value> of(const request::Reset&) { return count(board_->reset()); }

  // ---- reading

  Result<Value> listed(Entries entries, bool certain = true) const {
    own(entries);
    Listed listed;
    listed.entries = std::move(entries);
    listed.size = read_->size();
    listed.certain = certain;
    return Value(std::move(listed));
  }

  Result<Value> of(const request::Size&) { return Value(std::uint64_t{read_->size()}); }
  Result<Value> of(const request::Get& what) {
    Entries entries;
    if (const std::optional<Entry> entry = read_->get(what.player)) entries.add() = *entry;
    return listed(std::move(entries));
  }
  Result<Value> of(const request::Held& what) {
    if (past_ != nullptr) return unanswerable();
    HeldEntry held = seen(what.player);
    held.repeats = repeats(what.id);
    return Value(std::move(held));
  }
  Result<Value> of(const request::Rank& what) {
    return Value(read_->rank(what.player, what.ranking));
  }
  Result<Value> of(const request::RankOf& what) { return plain(read_->rank_of(what.score)); }
  Result<Value> of(const request::Page& what) {
    Entries entries;
    read_->read(what.first, what.n, entries);
    return listed(std::move(entries));
  }
  Result<Value> of(const request::Bottom& what) {
    Entries entries;
    read_->bottom(what.n, entries);
    return listed(std::move(entries));
  }
  Result<Value> of(const request::TopOnce& what) {
    if (copy_ != nullptr) return of(request::Page{0, what.n});
    Entries entries;
    const Result<bool> certain = read_->top_once(what.n, what.confidence, entries);
    if (!certain) return certain.refusal();
    return listed(std::move(entries), *certain);
  }
  Result<Value> of(const request::Around& what) {
    Entries entries;
    read_->around(what.player, what.n, entries);
    return listed(std::move(entries));
  }
  Result<Value> of(const request::Between& what) {
    Entries entries;
    read_->between(what.range, what.limit, entries);
    return listed(std::move(entries));
  }
  Result<Value> of(const request::Count& what) {
    return Value(std::uint64_t{read_->count(what.range)});
  }
  Result<Value> of(const request::Percentile& what) {
    return Value(read_->percentile(what.player));
  }
  Result<Value> of(const request::ScoreAtPercentile& what) {
    return plain(read_->score_at_percentile(what.percentile));
  }
  Result<Value> of(const request::TopPercent& what) {
    Entries entries;
    const Status valid = read_->top_percent(what.percent, SIZE_MAX, entries);
    return valid ? listed(std::move(entries)) : valid.refusal();
  }
  Result<Value> of(const request::AroundScore& what) {
    Entries entries;
    const Result<Rank> rank = read_->around_score(what.score, what.n, entries);
    if (!rank) return rank.refusal();
    Result<Value> around = listed(std::move(entries));
    std::get<Listed>(*around).rank = *rank;
    return around;
  }
  Result<Value> of(const request::Among& what) {
    const std::vector<std::string_view> players(what.players.begin(), what.players.end());
    Entries entries;
    read_->among(players, entries);
    return listed(std::move(entries));
  }
  Result<Value> of(const request::Key& what) { return plain(read_->key(what.player)); }

  // ---- seasons

  Result<Value> of(const request::ReadSeason&) {
    SeasonFacts facts;
    if (copy_ != nullptr) {
      facts = copy_->facts;
      facts.size = read_->size();
      return Value(facts);
    }
    facts.season = past_ == nullptr ? board_->season() : past_->season();
    facts.created = board_->created();
    if (past_ == nullptr) {
      facts.resets_at = board_->resets_at();
      facts.closes_at = board_->closes_at();
    }
    facts.size = read_->size();
    return Value(facts);
  }
  Result<Value> of(const request::Seasons&) { return Value(board_->seasons()); }
  // Ordered by player, so that positions are stable when a player is removed.
  Result<Value> of(const request::ReadRows& what) {
    if (past_ == nullptr) return unanswerable();
    Entries entries;
    past_->read(0, SIZE_MAX, entries);
    std::map<std::string, const Entry*> by_player;
    for (const Entry& entry : entries) by_player.emplace(entry.player, &entry);
    const Spec& spec = past_->spec();
    SeasonRows read{.ranking = spec.ranking};
    auto next = what.from.empty() ? by_player.begin() : by_player.upper_bound(what.from);
    for (; next != by_player.end() && read.rows.size() < what.n; ++next) {
      const Entry& entry = *next->second;
      CopiedRow row{.player = next->first,
                    .score = *ScoreForm(spec.order, spec.decimals).key(entry.score),
                    .at = entry.at};
      if (entry.data) row.data = std::string(*entry.data);
      read.rows.push_back(std::move(row));
      read.to = next->first;
    }
    read.last = next == by_player.end();
    return Value(std::move(read));
  }

  // ---- players, which belong to no board

  template <typename OfPlayers>
  Result<Value> of(const OfPlayers&) {
    return answer_of_players(*store_.registry_, request_.what);
  }

  FakeStore& store_;
  const SentRequest& request_;
  Kept* kept_ = nullptr;
  Board* board_ = nullptr;
  const ArchivedSeason* past_ = nullptr;
  const FakeCopies::Copy* copy_ = nullptr;
  const Standings* read_ = nullptr;
};

Result<Value> FakeStore::Asked::answer_what() {
  return std::visit([this](const auto& what) -> Result<Value> { return of(what); }, request_.what);
}

Result<Value> FakeStore::apply(const SentRequest& request) {
  const auto found = boards_.find(request.target.board);
  *now_ = request.now;
  if (found != boards_.end()) *now_ = found->second.now = std::max(found->second.now, request.now);
  const bool about_itself = is_of_players(request.what) || FakeCopies::is_asked(request) ||
                            std::holds_alternative<request::ReadSpec>(request.what) ||
                            std::holds_alternative<request::WriteSpec>(request.what) ||
                            std::holds_alternative<request::Drop>(request.what);
  if (!about_itself && found == boards_.end()) {
    return no_such_board(request.target.board);
  }
  return Asked(*this, request).answer();
}

}  // namespace laurel
