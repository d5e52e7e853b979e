#include "bench/costs/cost_board.h"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "bench/counting_clock.h"

namespace laurel {

namespace {

constexpr std::uint64_t kGroupPlayers = 50;

template <typename Answer>
Answer value_of(Result<Answer> answer) {
  if (!answer) throw std::runtime_error(std::string(answer.refusal().message()));
  return std::move(*answer);
}

void must(const Status& status) {
  if (!status) throw std::runtime_error(std::string(status.refusal().message()));
}

SpecChange spec_of(std::span<const std::pair<const char*, FieldValue>> fields) {
  SpecChange spec;
  for (const auto& [field, value] : fields) must(spec.set(field, value));
  return spec;
}

std::string group_of(std::uint64_t player) { return std::to_string(player / kGroupPlayers); }

}  // namespace

std::span<const CostEngine> cost_engines() {
  static const std::vector<CostEngine> kAll = {
      {"ranked", {{"keep", "latest"}}},
      {"capped", {{"engine", "capped"}, {"cap", 100.0}}},
      {"sharded", {{"engine", "sharded"}, {"shards", 16.0}, {"keep", "latest"}}},
      {"paged", {{"engine", "paged"}, {"keep", "latest"}}},
      {"padded", {{"engine", "padded"}, {"keep", "latest"}}},
      {"rolling", {{"engine", "rolling"}, {"days", 7.0}}},
      {"groups", {{"engine", "groups"}, {"source", "a"}, {"group", "clan"}}},
      {"combined", {{"engine", "combined"}, {"sources", "a,b"}}}};
  return kAll;
}

CostBoard::CostBoard(const CostEngine& engine, const std::string& path, Log log) {
  registry_ = value_of(Registry::open({.path = path,
                                       .durability = Durability::tick,
                                       .clock = std::make_unique<CountingClock>(),
                                       .log = std::move(log),
                                       .rules = nullptr,
                                       .remotes = nullptr,
                                       .control = nullptr,
                                       .secret = HashSecret::fixed(1)}));
  const SpecChange own = spec_of(engine.fields);
  if (is_derived(own.given())) {
    const std::array<std::pair<const char*, FieldValue>, 2> plain = {
        {{"keep", "latest"}, {"decimals", 0.0}}};
    sources_.push_back(open("a", spec_of(plain)));
    if (!is_of_groups(own.given())) sources_.push_back(open("b", spec_of(plain)));
  }
  board_ = open("board", own);
  if (sources_.empty()) sources_.push_back(board_);
  members_ = sources_.front()->size();
}

Board* CostBoard::open(const char* name, const SpecChange& spec) {
  return registry_->get(value_of(registry_->open(name, spec)));
}

void CostBoard::fill(std::uint64_t members) {
  while (members_ < members) submit_new();
}

void CostBoard::submit_new() {
  const Id player(members_);
  if (is_of_groups(board_->spec())) {
    AttributeChanges clan;
    must(clan.add("clan", group_of(members_)));
    must(registry_->profiles().save(
        {.id = player, .name = std::nullopt, .email = std::nullopt, .attributes = clan.text()},
        registry_->now()));
  }
  for (std::size_t i = 1; i < sources_.size(); ++i) {
    submit_to(*sources_[i], player);
  }
  submit(members_++);
}

// A writer may be faster than the disk: then it waits.
void CostBoard::submit_to(Board& board, std::string_view player) {
  const Submission submission{.player = player, .score = any_score()};
  Result<Outcome> outcome = board.submit(WriteMode::submit, submission);
  while (!outcome && outcome.refusal().code() == Code::unavailable) {
    must(registry_->flush());
    outcome = board.submit(WriteMode::submit, submission);
  }
  value_of(outcome);
}

void CostBoard::submit(std::uint64_t number) {
  submit_to(*sources_.front(), Id(number));
  if (++submissions_ % kTickSubmissions == 0) registry_->tick();
}

void CostBoard::look() {
  Entries ends;
  board_->read(0, 1, ends);
  board_->bottom(1, ends);
  held_ = std::uniform_real_distribution<double>(ends[1].score, ends[0].score);
  ranked_.clear();
  if (board_->spec().engine != EngineKind::capped) return;
  Entries shown;
  board_->read(0, board_->size(), shown);
  for (const Entry& entry : shown) ranked_.emplace_back(entry.player);
}

std::string_view CostBoard::any_ranked() {
  const std::uint64_t number = any_number();
  if (!ranked_.empty()) return ranked_[number % ranked_.size()];
  if (is_of_groups(board_->spec())) return group_ = group_of(number);
  return id_ = Id(number);
}

double CostBoard::any_held_score() { return held_(random_); }

}  // namespace laurel
