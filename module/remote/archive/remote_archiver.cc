#include "remote/archive/remote_archiver.h"

#include <algorithm>
#include <utility>

#include "base/hash.h"
#include "base/text.h"
#include "remote/limits.h"

namespace laurel {

RemoteArchiver::RemoteArchiver(PendingRequests& requests, RemoteBoard& board, NamedRemote& archive,
                               std::size_t& free)
    : requests_(requests),
      board_(board),
      archive_(archive),
      free_(free),
      token_(random_u64()),
      request_(requests, kCarryLookEvery) {}

void RemoteArchiver::tick() {
  if (!board_.is_open() || !request_.is_due()) return;
  ask_board(0, request::ReadSpec{}, &RemoteArchiver::looked);
}

void RemoteArchiver::ask(NamedRemote& remote, Target target, Request what, Time deadline,
                         Answered answered) {
  request_.send(remote, std::move(target), std::move(what), deadline,
                [this, answered](const Result<Value>& value) { (this->*answered)(value); });
}

void RemoteArchiver::ask_board(std::uint64_t season, Request what, Answered answered) {
  ask(board_.remote(), board_.target(season), std::move(what), requests_.deadline(), answered);
}

void RemoteArchiver::ask_archive(Request what, Answered answered) {
  Spec spec = *board_.spec();
  spec.ranking = ranking_;
  Target target{.board = board_.name(),
                .spec = std::make_shared<const Spec>(std::move(spec)),
                .season = season_.number,
                .copy_of = created_};
  ask(archive_, std::move(target), std::move(what), requests_.steady() + kCopyWithin, answered);
}

void RemoteArchiver::stop() {
  request_.cancel();
  if (std::exchange(copies_, false)) ++free_;
}

void RemoteArchiver::look_again(Time after) {
  stop();
  request_.wait(after);
}

// Whether the answer can be used. If not, the copy is started again later.
bool RemoteArchiver::went_well(const Result<Value>& value) {
  if (value) {
    request_.succeed();
    return true;
  }
  const Refusal& refusal = value.refusal();
  if (refusal.code() == Code::unavailable) {
    stop();
    request_.fail();
    return false;
  }
  if (copies_) {
    requests_.registry().log().error("board \"{}\": season {} is not archived: {}",
                                     escaped(board_.name(), 64), season_.number, refusal.text());
    settle();
  } else {
    look_again(kCarryLookEvery);
  }
  return false;
}

// The season is finished.
void RemoteArchiver::settle() {
  settled_.insert(season_.number);
  look_again(0);
}

void RemoteArchiver::looked(const Result<Value>& value) {
  if (!went_well(value)) return;
  const KeptSpec& there = std::get<KeptSpec>(*value);
  if (std::exchange(created_, there.created) != there.created) settled_.clear();
  std::vector<std::uint64_t> past = there.seasons;
  if (!past.empty()) past.erase(past.begin());
  std::erase_if(settled_, [&](std::uint64_t number) {
    return std::ranges::find(past, number) == past.end();
  });
  std::erase_if(past, [&](std::uint64_t number) { return settled_.contains(number); });
  if (past.empty() || free_ == 0) return look_again(kCarryLookEvery);
  --free_;
  copies_ = true;
  season_ = {.number = past.back()};
  ask_board(0, request::ReadSeason{}, &RemoteArchiver::found_running);
}

// ReadSeason asks every part of the board, so that all have seen the end of the season.
void RemoteArchiver::found_running(const Result<Value>& value) {
  if (!value && value.refusal().code() == Code::unknown) return look_again(kCarryLookEvery);
  if (!went_well(value)) return;
  if (std::get<SeasonFacts>(*value).created != created_) return look_again(0);
  ask_board(season_.number, request::ReadSeason{}, &RemoteArchiver::found_season);
}

void RemoteArchiver::found_season(const Result<Value>& value) {
  if (!went_well(value)) return;
  season_ = std::get<SeasonFacts>(*value).season;
  ask_archive(request::TakeCopy{token_}, &RemoteArchiver::took_turn);
}

void RemoteArchiver::took_turn(const Result<Value>& value) {
  if (!went_well(value)) return;
  const CopyStand& stand = std::get<CopyStand>(*value);
  if (stand.whole) return settle();
  if (stand.is_anothers) return look_again(kCarryLookEvery);
  turn_ = {.token = token_, .forgets = stand.forgets, .from = stand.to, .to = {}};
  read_rows();
}

void RemoteArchiver::read_rows() {
  ask_board(season_.number, request::ReadRows{turn_.from, kCopyTurnRows},
            &RemoteArchiver::have_rows);
}

void RemoteArchiver::have_rows(const Result<Value>& value) {
  if (!went_well(value)) return;
  const SeasonRows& read = std::get<SeasonRows>(*value);
  ranking_ = read.ranking;
  turn_.to = read.to.empty() ? turn_.from : read.to;
  last_ = read.last;
  ask_archive(
      request::CopySeason{
          .season = season_, .size = 0, .rows = read.rows, .last = read.last, .turn = turn_},
      &RemoteArchiver::wrote_rows);
}

void RemoteArchiver::wrote_rows(const Result<Value>& value) {
  if (!went_well(value)) return;
  if (!std::get<bool>(*value)) return look_again(kRemoteRetryMin);
  if (last_) return settle();
  turn_.from = turn_.to;
  read_rows();
}

}  // namespace laurel
