#include "board/seasons.h"

#include <utility>

namespace laurel {

ArchivedSeason::ArchivedSeason(const Players& players, const Season& season, const Spec& spec,
                               std::unique_ptr<Engine> engine, SpaceNumber first)
    : Standings(players, ScoreForm(spec.order, spec.decimals), spec.ties, spec.ranking,
                engine.get(), spec.columns),
      season_(season),
      spec_(spec),
      engine_(std::move(engine)),
      engine_space_(first) {}

bool ArchivedSeason::rename(std::string_view from, std::string_view to) {
  const std::optional<std::string> packed = engine_->pack(look_up(from));
  if (!packed) return false;
  erase(look_up(from));
  change_row({to}, [&] { engine_->unpack(look_up(to), *packed); });
  return true;
}

}  // namespace laurel
