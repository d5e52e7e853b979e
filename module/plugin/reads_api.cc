// The C interface's reads of places in a board's order, and exact ranks.
#include <optional>

#include "board/spec/spec.h"
#include "laurel/reads.h"
#include "plugin/host.h"

namespace laurel {

namespace {

// Runs a read and answers as the C interface does.
template <typename Read>
laurel_code read(laurel_boards* boards, laurel_board handle, uint64_t season, laurel_error* error,
                 Read read_from) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Standings* const standings = standings_of(boards, handle, season);
    if (standings == nullptr && to_board(boards, handle) == nullptr) {
      return tell_no_board(error, handle);
    }
    if (standings == nullptr) {
      return tell(error, no_such_standings(season));
    }
    const Status status = read_from(*standings);
    return status ? tell_ok(error) : tell(error, status.refusal());
  });
}

template <typename T>
void set(T* out, T value) {
  if (out != nullptr) *out = value;
}

// Where a list goes.
struct ListOut {
  laurel_board_entry* entries;
  double* ranks;
  size_t* count;

  void fill(const Entries& read) const {
    for (size_t i = 0; i < read.size(); ++i) {
      entries[i] = hand_out(read[i]);
      if (ranks != nullptr) ranks[i] = static_cast<double>(read[i].rank);
    }
    set(count, read.size());
  }
};

int32_t score_at(laurel_boards* boards, laurel_board handle, uint64_t season, uint64_t position,
                 double* out) {
  return guarded(nullptr, 0, [&]() -> int32_t {
    const Standings* const standings = standings_of(boards, handle, season);
    if (standings == nullptr || position == 0) return 0;
    const std::optional<double> score = standings->score_at(position - 1);
    if (score) set(out, *score);
    return score.has_value();
  });
}

laurel_code score_at_percentile(laurel_boards* boards, laurel_board handle, uint64_t season,
                                double percentile, int32_t* found, double* out,
                                laurel_error* error) {
  return read(boards, handle, season, error, [&](const Standings& standings) -> Status {
    const Result<std::optional<double>> score = standings.score_at_percentile(percentile);
    if (!score) return score.refusal();
    set(found, static_cast<int32_t>(score->has_value()));
    if (*score) set(out, **score);
    return Done{};
  });
}

laurel_code top_percent(laurel_boards* boards, laurel_board handle, uint64_t season, double percent,
                        laurel_board_entry* out, double* ranks, size_t room, size_t* count,
                        laurel_error* error) {
  return read(boards, handle, season, error, [&](const Standings& standings) -> Status {
    boards->entries.clear();
    const Status listed = standings.top_percent(percent, room, boards->entries);
    if (listed) ListOut{out, ranks, count}.fill(boards->entries);
    return listed;
  });
}

laurel_code around_score(laurel_boards* boards, laurel_board handle, uint64_t season, double score,
                         size_t n, laurel_board_entry* out, double* ranks, size_t* count,
                         double* rank, laurel_error* error) {
  return read(boards, handle, season, error, [&](const Standings& standings) -> Status {
    boards->entries.clear();
    const auto newcomer = standings.around_score(score, n, boards->entries);
    if (!newcomer) return newcomer.refusal();
    ListOut{out, ranks, count}.fill(boards->entries);
    set(rank, static_cast<double>(*newcomer));
    return Done{};
  });
}

laurel_code page(laurel_boards* boards, laurel_board handle, uint64_t season, uint64_t first,
                 laurel_board_entry* out, double* ranks, size_t room, size_t* count,
                 laurel_error* error) {
  return read(boards, handle, season, error, [&](const Standings& standings) -> Status {
    boards->entries.clear();
    standings.read(first_to_index(first), room, boards->entries);
    ListOut{out, ranks, count}.fill(boards->entries);
    return Done{};
  });
}

laurel_code rank(laurel_boards* boards, laurel_board handle, uint64_t season, const char* player,
                 const char* ranking, double* rank_out, uint64_t* size_out, laurel_error* error) {
  return read(boards, handle, season, error, [&](const Standings& standings) -> Status {
    std::optional<Ranking> asked;
    if (ranking != nullptr) {
      const Result<Ranking> known = to_ranking(ranking);
      if (!known) return known.refusal();
      asked = *known;
    }
    const std::optional<Standing> standing = standings.rank(text_or_empty(player), asked);
    set(rank_out, standing ? static_cast<double>(standing->rank) : 0.0);
    set(size_out, uint64_t{standings.size()});
    return Done{};
  });
}

laurel_reads_api make_reads_api() {
  laurel_reads_api api{};
  api.struct_size = sizeof api;
  api.score_at = score_at;
  api.score_at_percentile = score_at_percentile;
  api.top_percent = top_percent;
  api.around_score = around_score;
  api.page = page;
  api.rank = rank;
  return api;
}

}  // namespace

void fill_reads_api(laurel_api& api) {
  static const laurel_reads_api reads = make_reads_api();
  api.reads = &reads;
}

}  // namespace laurel
