// group_board.h - keeps the rows of one board whose players are groups of another board's players:
// the values of an attribute.
//
//   current   if all members count, their sums are kept (group_totals.h). Else the source keeps an
//             order for each value (segments/board_segments.h), shared with its `segments`, and the
//             first members are read again when one of them changes. Both are exact, so the board
//             is at any moment what its source makes.
//   outdated  after a change of all rows of the source. Then present() makes the rows again: O(n
//             log n) for n players, with a read of each player's profile.
//   seasons   are the source's. When one ends, the rows become a past season of the board. They are
//             stored as those of any board, so that no row is visited then.
//   full      kSegmentValuesMax values: players with other values are in no group, which is logged.
//   cost      of a change of a source's row, for the best k: O(log n + k); else O(log n).
//   memory    that of GroupTotals or of a segment, and a row for each listed group.
//   threads   as the registry.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "base/arena.h"
#include "board/registry_context.h"
#include "registry/derived/derived_board.h"
#include "registry/derived/group_score.h"
#include "registry/derived/group_totals.h"

namespace laurel {

class GroupBoard final : public DerivedBoard {
 public:
  // REQUIRES: the board's spec is one of groups, complete.
  GroupBoard(RegistryContext& context, Board& board);
  ~GroupBoard() override;

  std::size_t size() const override { return source_ == nullptr ? 0 : 1; }
  void add(SourceBoard& source) override;
  void remove(const SourceBoard& source) override;
  void each_source(const std::function<void(SourceBoard& source)>& visit) const override {
    if (source_ != nullptr) visit(*source_);
  }

  void present(Time now) override;
  Time next_change_at() const override;
  const Board* seasons_of() const override {
    return source_ == nullptr ? nullptr : &source_->board();
  }
  std::size_t bytes() const override;

  bool takes_firsts() const override { return false; }
  void prefetch_player(const SourceBoard& source, PlayerHandle player) const override;
  void prefetch_row(const SourceBoard& source, PlayerHandle player) const override;
  void player_will_change(const SourceBoard& source, const Player& player,
                          const RowKey& next) override;
  void player_changed(const Player& player) override;
  void all_changed() override;
  void attributes_changed(std::string_view player, std::string_view attributes) override;
  void season_will_end() override;
  void season_ended(Time ended) override;
  void segment_changed(std::string_view value, const SegmentRows& rows, const Row* before,
                       const Row* after) override;
  std::string_view ordered_by() const override {
    return counts_all_ ? std::string_view() : std::string_view(group_);
  }
  bool hears_attributes() const override { return counts_all_; }

 private:
  std::string_view value_of(std::string_view attributes) const;
  // The row of a group; nothing if it has too few members.
  std::optional<RowKey> row_of(std::string_view value, const SegmentRows& rows);
  std::optional<RowKey> row_of(GroupTotals::GroupNumber group);
  std::optional<RowKey> summed(std::string_view value, Wide sum, std::size_t members, Time at);
  void refresh(GroupTotals::GroupNumber group);
  void make_anew();
  std::unique_ptr<GroupTotals> add_up();
  void tell_full();

  RegistryContext& context_;
  std::string group_;
  Take take_;
  bool counts_all_;      // a sum or mean of all members
  std::size_t counted_;  // how many of the first members, else
  std::size_t members_least_;
  SourceBoard* source_ = nullptr;
  std::optional<GroupScore> score_;      // a sum or mean, once there is a source
  std::unique_ptr<GroupTotals> totals_;  // null while outdated, or unless all members count
  bool outdated_ = true;
  bool told_of_stop_ = false;  // the log has a line about a sum that stops
  bool told_full_ = false;
  Arena arena_;
};

}  // namespace laurel
