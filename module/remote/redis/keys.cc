#include "remote/redis/keys.h"

#include <cmath>
#include <limits>

#include <fmt/core.h>

#include "base/bytes.h"

namespace laurel::redis {

namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr char kInvertedEnd = '\xFF';

std::string in_tag(std::string_view board) {
  std::string text;
  for (const char byte : board) {
    const auto value = static_cast<unsigned char>(byte);
    const bool plain =
        value > 0x20 && value < 0x7F && byte != '{' && byte != '}' && byte != '%' && byte != '/';
    text += plain ? std::string(1, byte) : fmt::format("%{:02X}", value);
  }
  return text;
}

std::string inverted(std::string_view bytes) {
  std::string out(bytes);
  for (char& byte : out) byte = static_cast<char>(~static_cast<unsigned char>(byte));
  return out;
}

}  // namespace

std::string board_key(std::string_view board) { return "laurel:{" + in_tag(board) + "}"; }

ShardKeys::ShardKeys(std::string_view board, std::size_t shard)
    : base_(fmt::format("laurel:{{{}/{}}}:", in_tag(board), shard)) {}

std::string ShardKeys::of_season(std::uint64_t season, std::string_view what) const {
  return fmt::format("{}{}:{}", base_, season, what);
}

std::string sortable_time(Time at) { return sortable(static_cast<std::uint64_t>(at) ^ kSignBit); }

Time time_of_sortable(std::string_view bytes) {
  return static_cast<Time>(number_of_sortable(bytes) ^ kSignBit);
}

RowForm::RowForm(const Spec& spec)
    : order_(spec.order),
      decimals_(spec.decimals),
      form_(spec.order, spec.decimals),
      columns_(spec.columns) {
  const bool desc = order_ == Order::desc;
  inverts_id_ = desc == (spec.ties != Ties::player_desc);
  switch (spec.ties) {
    case Ties::earliest: at_mode_ = desc ? "f" : "p"; break;
    case Ties::latest: at_mode_ = desc ? "p" : "f"; break;
    case Ties::player:
    case Ties::player_desc: at_mode_ = "n"; break;
  }
}

std::string RowForm::player_part(std::string_view player) const {
  return inverts_id_ ? inverted(player) + kInvertedEnd : std::string(player);
}

std::string RowForm::member(std::string_view player, Time at) const {
  if (at_mode_ == "n") return player_part(player);
  return sortable_time(at_mode_ == "p" ? at : ~at) + player_part(player);
}

std::optional<std::string> RowForm::player_of(std::string_view member) const {
  if (at_mode_ != "n") {
    if (member.size() < kSortableBytes) return std::nullopt;
    member.remove_prefix(kSortableBytes);
  }
  if (!inverts_id_) return std::string(member);
  if (!member.ends_with(kInvertedEnd)) return std::nullopt;
  member.remove_suffix(1);
  return inverted(member);
}

bool RowForm::read_value(std::string_view value, Row& row) {
  if (value.size() < kSortableBytes) return false;
  row.at = time_of_sortable(value.substr(0, kSortableBytes));
  value.remove_prefix(kSortableBytes);
  row.data.reset();
  if (!value.empty()) row.data = std::string(value.substr(1));
  return true;
}

bool RowForm::before(const Row& a, const Row& b) const {
  if (a.stored != b.stored) return better(a.stored, b.stored);
  return order_ == Order::desc ? a.member > b.member : a.member < b.member;
}

std::optional<double> RowForm::stored(double score) const {
  if (columns_) {
    if (!columns_->is_whole(score)) return std::nullopt;
    return static_cast<double>(columns_->packed(score));
  }
  if (!decimals_) return score + 0.0;  // -0 + 0 is 0
  const std::optional<std::int64_t> scaled = scaled_decimal(score, *decimals_);
  if (!scaled) return std::nullopt;
  return static_cast<double>(*scaled);
}

double RowForm::shown(double stored) const {
  if (columns_) return columns_->unpacked(stored).value_or(columns_->lowest());
  return decimals_ ? stored / std::pow(10.0, *decimals_) : stored;
}

std::optional<RowForm::StoredBounds> RowForm::bounds(const ScoreRange& range) const {
  const std::optional<ScoreBounds> keys = score_bounds(form_, range);
  if (!keys) return std::nullopt;
  const double best = order_ == Order::desc ? std::numeric_limits<double>::infinity()
                                            : -std::numeric_limits<double>::infinity();
  StoredBounds bounds{best, -best};
  const ScoreBounds open;
  // A bound may be a number that is not a whole score.
  const auto stored_bound = [this](ScoreKey key) {
    const double score = form_.score(key);
    return columns_ ? ScoreColumns::packed(score) : *stored(score);
  };
  if (keys->best != open.best) bounds.best = stored_bound(keys->best);
  if (keys->worst != open.worst) bounds.worst = stored_bound(keys->worst);
  return bounds;
}

std::string number_text(double number) { return fmt::format("{}", number); }

}  // namespace laurel::redis
