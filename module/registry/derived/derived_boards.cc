#include "registry/derived/derived_boards.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/limits.h"
#include "base/text.h"
#include "board/spec/spec_fields.h"
#include "registry/derived/combined_board.h"
#include "registry/derived/group_board.h"

namespace laurel {

namespace {

// Why a board of this spec is not a source for `take`; empty if it is one.
std::string unfit(const Spec& source, Take take) {
  if (is_derived(source)) {
    return "it is made from other boards itself, and such boards are not chained";
  }
  const bool is_list = take == Take::count || take == Take::firsts;
  const bool is_ranked = source.engine == EngineKind::ranked ||
                         (source.engine == EngineKind::sharded && source.of == EngineKind::ranked);
  if (!is_ranked && !(is_list && source.engine == EngineKind::capped)) {
    return fmt::format(
        "its engine is \"{}\"{}; take = \"{}\" wants \"ranked\"{} \"sharded\" of "
        "\"ranked\"{}",
        word(source.engine),
        source.engine == EngineKind::sharded ? fmt::format(" of \"{}\"", word(source.of)) : "",
        word(take), is_list ? "," : " or", is_list ? " or \"capped\"" : "");
  }
  if (source.columns && take != Take::best) return "its scores have columns";
  if ((take == Take::sum || take == Take::mean) && !source.decimals) {
    return "it has no decimals, and without them a sum is not exact";
  }
  return "";
}

// What messages call a board that is made from others.
std::string_view kind_of(const Spec& spec) {
  return is_of_groups(spec) ? "board of groups" : "combined board";
}

Refusal no_source(std::string_view source, std::string_view derived, const Spec& spec,
                  std::string_view why) {
  return {Code::invalid,        "board \"{}\" is no source of {} \"{}\": {}",
          escaped(source, 32),  kind_of(spec),
          escaped(derived, 32), why};
}

Refusal other_than_source(std::string_view field, std::string_view given, const Board& source,
                          std::string_view has) {
  return {Code::invalid,
          "field '{}' is {}; a board of groups has that of its source \"{}\", {}",
          field,
          given,
          escaped(source.name(), 64),
          has};
}

std::string shown(const std::optional<int>& decimals) {
  return decimals ? fmt::format("{}", *decimals) : "none";
}

std::string shown(const ScoreColumns::Ptr& columns) {
  return columns ? fmt::format("\"{}\"", columns->text()) : "none";
}

}  // namespace

Status DerivedBoards::check_new(std::string_view name, Spec& spec, const Boards& boards) const {
  // Boards that stand, or come with this one, and take it as a source.
  std::vector<const Board*> others = boards.derived;
  for (const auto& [board, derived] : derived_) others.push_back(board);
  std::erase_if(others, [&](const Board* board) { return board->name() == name; });
  std::size_t followers = 0;
  for (const Board* const board : others) {
    const Result<SourceList> sources = sources_of(board->spec());
    if (!sources || !sources->takes(name)) continue;
    if (const std::string why = unfit(spec, board->spec().take); !why.empty()) {
      return no_source(name, board->name(), board->spec(), why);
    }
    ++followers;
    const auto standing = derived_.find(board);
    if (sources->is_pattern() && standing != derived_.end() &&
        standing->second->size() >= kSourcesMax) {
      return Refusal(Code::unavailable, "combined board \"{}\" has {} sources, the most allowed",
                     escaped(board->name(), 64), kSourcesMax);
    }
  }
  if (followers > kDerivedPerSourceMax) {
    return Refusal(Code::unavailable, "{} boards are made from board \"{}\"; at most {} may be",
                   followers, escaped(name, 64), kDerivedPerSourceMax);
  }
  if (!is_derived(spec)) return Done{};
  if (others.size() >= kDerivedBoardsMax) {
    return Refusal(Code::unavailable, "{} boards are made from others, the most allowed",
                   kDerivedBoardsMax);
  }
  return check_sources(name, spec, boards);
}

DerivedBoards::DerivedBoards(RegistryContext& context) : context_(context) {}

DerivedBoards::~DerivedBoards() = default;

void DerivedBoards::fill_from_source(SpecChange& change, const Boards& boards) const {
  if (!is_of_groups(change.given())) return;
  const Board* const source = boards.find(change.given().source);
  if (source == nullptr) return;  // check_new() says so
  // These cannot fail: they are values of a board.
  const Spec& spec = source->spec();
  if (!change.gives("order")) (void)change.set("order", word(spec.order));
  if (!change.gives("decimals") && spec.decimals) {
    (void)change.set("decimals", static_cast<double>(*spec.decimals));
  }
  if (!change.gives("columns") && spec.columns && change.given().take == Take::best) {
    (void)change.set("columns", std::string_view(spec.columns->text()));
  }
}

// A board of groups has the scores of its source, but a mean may have decimals of its own.
Status DerivedBoards::check_as_source(const Spec& groups, const Board& source) {
  const Spec& spec = source.spec();
  if (groups.order != spec.order) {
    return other_than_source("order", fmt::format("\"{}\"", word(groups.order)), source,
                             fmt::format("\"{}\"", word(spec.order)));
  }
  if (groups.decimals != spec.decimals && groups.take != Take::mean) {
    return other_than_source("decimals", shown(groups.decimals), source, shown(spec.decimals));
  }
  if (groups.take == Take::mean && !groups.decimals) {
    return Refusal(Code::invalid, "field 'decimals' is false; a mean is an exact decimal: 0 to {}",
                   kDecimalsMax);
  }
  if (shown(groups.columns) != shown(spec.columns)) {
    return other_than_source("columns", shown(groups.columns), source, shown(spec.columns));
  }
  return Done{};
}

Status DerivedBoards::check_sources(std::string_view name, Spec& spec, const Boards& boards) const {
  const Result<SourceList> list = sources_of(spec);
  if (!list) return list.refusal();
  const std::string_view field = is_of_groups(spec) ? "source" : "sources";
  std::vector<const Board*> sources;
  for (const std::string& each : list->names()) {
    if (each == name) return no_source(name, name, spec, "a board is not made from itself");
    const Board* const board = boards.find(each);
    if (board == nullptr) {
      return Refusal(Code::invalid, "field '{}': no local board is called \"{}\"", field,
                     escaped(each, 64));
    }
    sources.push_back(board);
  }
  if (list->is_pattern()) {
    boards.each([&](const Board& board) {
      if (board.name() != name && list->takes(board.name())) sources.push_back(&board);
    });
  }
  if (sources.size() > kSourcesMax) {
    return Refusal(Code::unavailable, "field 'sources': {} boards fit \"{}\"; at most {} may",
                   sources.size(), escaped(spec.sources, 64), kSourcesMax);
  }
  for (const Board* const source : sources) {
    if (const std::string why = unfit(source->spec(), spec.take); !why.empty()) {
      return no_source(source->name(), name, spec, why);
    }
    if (is_of_groups(spec)) {
      if (const Status fits = check_as_source(spec, *source); !fits) return fits;
    }
    const auto followed = sources_.find(source);
    if (followed != sources_.end() && followed->second->followers() >= kDerivedPerSourceMax) {
      return Refusal(Code::unavailable, "{} boards are made from board \"{}\", the most allowed",
                     kDerivedPerSourceMax, escaped(source->name(), 64));
    }
  }
  if (!is_of_groups(spec)) fill_defaults(spec, sources);
  return Done{};
}

void DerivedBoards::fill_defaults(Spec& spec, const std::vector<const Board*>& sources) {
  if (!spec.decimals && spec.take == Take::ratio) {
    spec.decimals = 3;
  } else if (!spec.decimals) {
    spec.decimals = 0;
    if (spec.take != Take::sum) return;
    for (const Board* const source : sources) {
      spec.decimals = std::max(*spec.decimals, source->spec().decimals.value_or(0));
    }
  }
  if (spec.take != Take::ratio || spec.least != 0) return;
  if (const std::optional<int> decimals = sources[1]->spec().decimals) {
    spec.least = 1 / std::pow(10.0, *decimals);
  }
}

Status DerivedBoards::check_drop(const Board& board) const {
  const auto followed = sources_.find(&board);
  if (followed == sources_.end()) return Done{};
  for (const auto& [made, derived] : derived_) {
    if (derived->sources().is_pattern() || !derived->sources().takes(board.name())) continue;
    return Refusal(Code::invalid, "{} \"{}\" is made from board \"{}\": drop that one first",
                   kind_of(made->spec()), escaped(made->name(), 64), escaped(board.name(), 64));
  }
  return Done{};
}

std::unique_ptr<DerivedBoard> DerivedBoards::make(Board& board) const {
  if (is_of_groups(board.spec())) return std::make_unique<GroupBoard>(context_, board);
  return std::make_unique<CombinedBoard>(context_, board);
}

void DerivedBoards::connect(DerivedBoard& derived, Board& source) {
  if (!unfit(source.spec(), derived.board().spec().take).empty()) return;
  std::unique_ptr<SourceBoard>& followed = sources_[&source];
  if (!followed) followed = std::make_unique<SourceBoard>(source, context_.players);
  derived.add(*followed);
}

void DerivedBoards::adopt(Board& board, const Boards& boards) {
  if (!is_derived(board.spec())) {
    for (const auto& [made, derived] : derived_) {
      if (derived->sources().takes(board.name())) connect(*derived, board);
    }
    return;
  }
  DerivedBoard& derived = *derived_.emplace(&board, make(board)).first->second;
  board.derive_from(&derived);
  for (const std::string& name : derived.sources().names()) {
    if (Board* const source = boards.find(name)) connect(derived, *source);
  }
  if (!derived.sources().is_pattern()) return;
  boards.each([&](Board& source) {
    if (derived.sources().takes(source.name())) connect(derived, source);
  });
}

void DerivedBoards::drop(const Board& board) {
  if (const auto made = derived_.find(&board); made != derived_.end()) {
    made->second->each_source([&](SourceBoard& source) {
      if (source.remove(*made->second)) return;
      source.stop();
      const Board* const left = &source.board();
      sources_.erase(left);
    });
    made->second->all_changed();  // what it keeps of players is freed later
    derived_.erase(made);
    return;
  }
  const auto followed = sources_.find(&board);
  if (followed == sources_.end()) return;
  followed->second->stop();
  for (const auto& [made, derived] : derived_) derived->remove(*followed->second);
  sources_.erase(followed);
}

void DerivedBoards::clear() {
  for (const auto& [board, source] : sources_) source->stop();
  sources_.clear();
  derived_.clear();
}

}  // namespace laurel
