// ranked_engine.h - all rows in memory, in a counted B+tree. Rank, position and count in O(log n).
//
//   durable  with a buffer, each player has one row in it under the player's id: the bytes of
//            pack(). A change of a row writes it again; removing a row erases it; nothing is
//            written if nothing changes. When the process ends all rows remain in the
//            store; dismantle() erases them.
//   load     O(n) for n rows: about 250 ns each at ten million, without the store's time. Bytes
//            that are not a valid row are skipped, and stay until their player gets a row.
#pragma once

#include <string>

#include "engine/tree_view.h"
#include "rank/player/player_texts.h"

namespace laurel {

class RankedEngine final : public TreeView<ScoreEngine> {
 public:
  // `players` outlives the engine, which holds a reference to the player of each row. If there is a
  // buffer, all rows are written to it. At most `packed_max` rows are packed
  // (rank/tree/counted_tree.h).
  RankedEngine(Players& players, Ties ties, std::unique_ptr<WriteBuffer> buffer = nullptr,
               std::size_t packed_max = kPackedRowsMax);
  ~RankedEngine() override;
  RankedEngine(const RankedEngine&) = delete;
  RankedEngine& operator=(const RankedEngine&) = delete;

  std::optional<EngineRow> find(const Player& player, Arena& arena) const override;
  void find_held(const Player& player, Arena& arena, std::optional<EngineRow>& row) const override;
  bool wants_prefetch() const override { return tree_.size() >= kHintsFrom; }
  void prefetch_player(PlayerHandle player) const override { tree_.prefetch_player(player); }
  void prefetch_row(PlayerHandle player) const override { tree_.prefetch_row(player); }
  void prefetch_paths(std::span<const ScoreKey> scores) override { tree_.prefetch_paths(scores); }
  void prefetch_players(std::span<const PlayerHandle> players) override {
    tree_.prefetch_players(players);
  }
  void prefetch_rows(std::span<const PlayerHandle> players) override {
    tree_.prefetch_rows(players);
  }
  void put(const Player& player, const EngineRow& row) override;
  bool erase(const Player& player) override;
  void load(const LoadProgress& progress) override;
  bool dismantle(std::size_t rows) override;
  // The row at that position. REQUIRES: position < size().
  Row at(std::size_t position) const;
  // Removes all rows after the first `size`.
  void cut(std::size_t size);
  void read(std::size_t first, std::size_t n, Arena& arena,
            std::vector<EngineRow>& out) const override {
    (void)read_ranked(first, n, arena, out);
  }
  std::optional<std::size_t> read_ranked(std::size_t first, std::size_t n, Arena& arena,
                                         std::vector<EngineRow>& out) const override;
  Players* players_of(std::string_view) const override { return &players_; }
  void show(const Row& row, Arena& arena, EngineRow& out) const override;
  bool has_data() const override { return data_ != nullptr; }
  std::size_t bytes() const override;
  void check() const override { tree_.check(); }

 private:
  // Fewer rows, about half a megabyte, are in the processor's cache anyway.
  static constexpr std::size_t kHintsFrom = 20'000;

  void fill(EngineRow& out, const Row& row, std::string_view id) const;
  // Not in line: its registers would have to be saved in each lookup on the boards without data.
  [[gnu::noinline]] std::optional<std::string_view> data_of(PlayerHandle player) const;
  void put_data(PlayerHandle player, std::optional<std::string_view> data);
  void write_row(std::string_view player, const EngineRow& row);
  void erase_row(PlayerHandle player);

  Players& players_;
  std::unique_ptr<WriteBuffer> buffer_;  // null if nothing is persisted
  std::string packed_;                   // kept to reuse its memory
  // Few boards have data: null until the first.
  std::unique_ptr<PlayerTexts> data_;
};

}  // namespace laurel
