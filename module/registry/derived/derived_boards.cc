#include "registry/derived/derived_boards.h"

#include <algorithm>
#include <cmath>
#include <string>

#include "base/limits.h"
#include "base/text.h"
#include "board/spec/spec_fields.h"

namespace laurel {

namespace {

// Why a board of this spec is no source for `take`; empty if it is one.
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
  if (source.columns) return "its scores have columns";
  if (take == Take::sum && !source.decimals) {
    return "it has no decimals, and without them a sum is not exact";
  }
  return "";
}

Refusal no_source(std::string_view source, std::string_view combined, std::string_view why) {
  return {Code::invalid, "board \"{}\" is no source of combined board \"{}\": {}",
          escaped(source, 32), escaped(combined, 32), why};
}

}  // namespace

Status DerivedBoards::check_new(std::string_view name, Spec& spec, const Boards& boards) const {
  // Boards that stand, or come with this one, and take it as a source.
  std::vector<const Board*> others = boards.derived;
  for (const auto& [board, combined] : combined_) others.push_back(board);
  std::erase_if(others, [&](const Board* board) { return board->name() == name; });
  std::size_t followers = 0;
  for (const Board* const board : others) {
    const Result<SourceList> sources = SourceList::parse(board->spec().sources);
    if (!sources || !sources->takes(name)) continue;
    if (const std::string why = unfit(spec, board->spec().take); !why.empty()) {
      return no_source(name, board->name(), why);
    }
    ++followers;
    const auto standing = combined_.find(board);
    if (sources->is_pattern() && standing != combined_.end() &&
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

Status DerivedBoards::check_sources(std::string_view name, Spec& spec, const Boards& boards) const {
  const Result<SourceList> list = SourceList::parse(spec.sources);
  if (!list) return list.refusal();
  std::vector<const Board*> sources;
  for (const std::string& each : list->names()) {
    if (each == name) return no_source(name, name, "a board is not made from itself");
    const Board* const board = boards.find(each);
    if (board == nullptr) {
      return Refusal(Code::invalid, "field 'sources': no local board is called \"{}\"",
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
      return no_source(source->name(), name, why);
    }
    const auto followed = sources_.find(source);
    if (followed != sources_.end() &&
        followed->second->followers().size() >= kDerivedPerSourceMax) {
      return Refusal(Code::unavailable, "{} boards are made from board \"{}\", the most allowed",
                     kDerivedPerSourceMax, escaped(source->name(), 64));
    }
  }
  fill_defaults(spec, sources);
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
  for (const auto& [derived, combined] : combined_) {
    if (combined->sources().is_pattern() || !combined->sources().takes(board.name())) continue;
    return Refusal(Code::invalid,
                   "combined board \"{}\" is made from board \"{}\": drop that one first",
                   escaped(derived->name(), 64), escaped(board.name(), 64));
  }
  return Done{};
}

void DerivedBoards::connect(CombinedBoard& combined, Board& source) {
  if (!unfit(source.spec(), combined.board().spec().take).empty()) return;
  std::unique_ptr<SourceBoard>& followed = sources_[&source];
  if (!followed) followed = std::make_unique<SourceBoard>(source, context_.players);
  combined.add(*followed);
}

void DerivedBoards::adopt(Board& board, const Boards& boards) {
  if (!is_derived(board.spec())) {
    for (const auto& [derived, combined] : combined_) {
      if (combined->sources().takes(board.name())) connect(*combined, board);
    }
    return;
  }
  CombinedBoard& combined =
      *combined_.emplace(&board, std::make_unique<CombinedBoard>(context_, board)).first->second;
  board.derive_from(&combined);
  for (const std::string& name : combined.sources().names()) {
    if (Board* const source = boards.find(name)) connect(combined, *source);
  }
  if (!combined.sources().is_pattern()) return;
  boards.each([&](Board& source) {
    if (combined.sources().takes(source.name())) connect(combined, source);
  });
}

void DerivedBoards::drop(const Board& board) {
  if (const auto derived = combined_.find(&board); derived != combined_.end()) {
    derived->second->each_source([&](SourceBoard& source) {
      if (source.remove(*derived->second)) return;
      source.stop();
      const Board* const left = &source.board();
      sources_.erase(left);
    });
    combined_.erase(derived);
    return;
  }
  const auto followed = sources_.find(&board);
  if (followed == sources_.end()) return;
  followed->second->stop();
  for (const auto& [derived, combined] : combined_) combined->remove(*followed->second);
  sources_.erase(followed);
}

void DerivedBoards::clear() {
  for (const auto& [board, source] : sources_) source->stop();
  sources_.clear();
  combined_.clear();
}

}  // namespace laurel
