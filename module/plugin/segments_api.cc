// The C interface's segments and cohorts.
#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "base/limits.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/segment_orders.h"
#include "laurel/segments.h"
#include "live/server/publisher.h"
#include "plugin/host.h"
#include "profile/attributes.h"

namespace laurel {

namespace {

// Numbers of segments have this bit, which no season has.
constexpr uint64_t kSegmentBit = uint64_t{1} << 63;

Refusal no_such_segment(uint64_t segment) {
  return {Code::unknown, "{} is no segment or cohort of this board", segment};
}

// A watch, and what is published, are of the running season.
Result<SegmentName> running_segment(const laurel_boards* boards, laurel_board handle,
                                    laurel_segment segment) {
  const OpenedSegments::Segment* const found = find_segment(boards, handle, segment);
  if (found == nullptr) return no_such_segment(segment);
  if (found->season == 0) return found->name;
  return Refusal(Code::closed, "the cohort is of season {}, which has ended", found->season);
}

// The number of the segment, which is noted as opened.
Result<laurel_segment> note_opened(laurel_boards& boards, OpenedSegments::Segment segment) {
  OpenedSegments& opened = boards.segments;
  const auto known = opened.numbers.find(segment);
  if (known == opened.numbers.end() && opened.numbers.size() == kSegmentsOpenMax) {
    return Refusal(Code::unavailable, "{} segments and cohorts were opened, the most allowed",
                   kSegmentsOpenMax);
  }
  const auto place = known != opened.numbers.end()
                         ? known
                         : opened.numbers.emplace(std::move(segment), opened.numbers.size()).first;
  if (place->second == opened.by_number.size()) opened.by_number.push_back(&place->first);
  return kSegmentBit | place->second;
}

laurel_code open(laurel_boards* boards, laurel_board handle, const char* attribute,
                 const char* value, laurel_segment* segment, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    SegmentName name{std::string(text_or_empty(attribute)), std::string(text_or_empty(value))};
    const auto found = board->segment(name.attribute, name.value);
    if (!found) return tell(error, found.refusal());
    const Status valid = check_attribute_value(name.attribute, name.value);
    if (!valid) return tell(error, valid.refusal());
    const auto opened = note_opened(*boards, {handle.slot, handle.generation, std::move(name)});
    if (!opened) return tell(error, opened.refusal());
    *segment = *opened;
    return tell_ok(error);
  });
}

laurel_code cohort(laurel_boards* boards, laurel_board handle, uint64_t season, const char* player,
                   laurel_segment* segment, uint64_t* number, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const auto cohorts = board->cohorts(season);
    if (!cohorts) return tell(error, cohorts.refusal());
    const uint32_t found = (*cohorts)->number_of(text_or_empty(player));
    if (segment != nullptr) *segment = 0;
    if (number != nullptr) *number = found;
    if (found == 0 || segment == nullptr) return tell_ok(error);
    const uint64_t past = season == board->season().number ? 0 : season;
    const auto opened =
        note_opened(*boards, {handle.slot, handle.generation, cohort_name(found), past});
    if (!opened) return tell(error, opened.refusal());
    *segment = *opened;
    return tell_ok(error);
  });
}

laurel_code cohorts(laurel_boards* boards, laurel_board handle, uint64_t season, uint64_t* count,
                    laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const auto cohorts = board->cohorts(season);
    if (!cohorts) return tell(error, cohorts.refusal());
    *count = (*cohorts)->size();
    return tell_ok(error);
  });
}

laurel_code sizes(laurel_boards* boards, laurel_board handle, const char* attribute,
                  laurel_segment_size* out, size_t room, size_t* count, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Board* const board = to_board(boards, handle);
    if (board == nullptr) return tell_no_board(error, handle);
    const auto listed = board->segments(text_or_empty(attribute));
    if (!listed) return tell(error, listed.refusal());
    const size_t n = std::min(room, listed->size());
    std::vector<std::string>& values = boards->segments.values;
    values.clear();
    for (size_t i = 0; i < n; ++i) values.emplace_back((*listed)[i].value);
    for (size_t i = 0; i < n; ++i) out[i] = {values[i].c_str(), (*listed)[i].size};
    if (count != nullptr) *count = n;
    return tell_ok(error);
  });
}

laurel_code around(laurel_boards* boards, laurel_board handle, laurel_segment segment,
                   const char* player, size_t n, laurel_board_entry* out, double* ranks,
                   size_t* count, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (to_board(boards, handle) == nullptr) return tell_no_board(error, handle);
    const Standings* const standings = standings_of(boards, handle, segment);
    if (standings == nullptr || find_segment(boards, handle, segment) == nullptr) {
      return tell(error, no_such_segment(segment));
    }
    boards->entries.clear();
    standings->around(text_or_empty(player), n, boards->entries);
    const size_t found = hand_out(boards->entries, out);
    for (size_t i = 0; ranks != nullptr && i < found; ++i) {
      ranks[i] = static_cast<double>(boards->entries[i].rank);
    }
    if (count != nullptr) *count = found;
    return tell_ok(error);
  });
}

void overall(laurel_boards* boards, laurel_board handle, const laurel_board_entry* entries,
             size_t count, double* out) {
  guarded(nullptr, 0, [&] {
    const Board* const board = to_board(boards, handle);
    for (size_t i = 0; i < count; ++i) {
      const auto standing =
          board == nullptr ? std::nullopt
                           : board->rank({entries[i].player, entries[i].player_size}, std::nullopt);
      out[i] = standing ? static_cast<double>(standing->rank) : 0;
    }
    return 0;
  });
}

laurel_code watch(laurel_boards* boards, laurel_board handle, laurel_segment segment, size_t n,
                  laurel_on_change on_change, void* context, laurel_watch* watch,
                  laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Result<SegmentName> name = running_segment(boards, handle, segment);
    if (!name) return tell(error, name.refusal());
    return begin_watch(boards, handle, *name, n, on_change, context, watch, error);
  });
}

laurel_code publish(laurel_live* live, laurel_board handle, laurel_segment segment, uint32_t top,
                    int32_t with_data, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    const Result<SegmentName> name = running_segment(live->boards, handle, segment);
    if (!name) return tell(error, name.refusal());
    const PublishOptions options{.top = top, .data = with_data != 0};
    const Status published = publisher_of(live)->publish(
        *live->boards->registry, {handle.slot, handle.generation}, options, *name);
    return published ? tell_ok(error) : tell(error, published.refusal());
  });
}

void unpublish(laurel_live* live, laurel_board handle, laurel_segment segment) {
  guarded(nullptr, 0, [&] {
    if (const Result<SegmentName> name = running_segment(live->boards, handle, segment)) {
      publisher_of(live)->unpublish(*live->boards->registry, {handle.slot, handle.generation},
                                    *name);
    }
    return 0;
  });
}

laurel_segments_api make_segments_api() {
  laurel_segments_api api{};
  api.struct_size = sizeof api;
  api.open = open;
  api.sizes = sizes;
  api.around = around;
  api.overall = overall;
  api.watch = watch;
  api.publish = publish;
  api.unpublish = unpublish;
  api.cohort = cohort;
  api.cohorts = cohorts;
  return api;
}

}  // namespace

Refusal no_such_standings(uint64_t season) {
  if ((season & kSegmentBit) == 0) return {Code::unknown, "season {} is not kept", season};
  return no_such_segment(season);
}

const OpenedSegments::Segment* find_segment(const laurel_boards* boards, laurel_board handle,
                                            uint64_t segment) {
  const uint64_t number = segment & ~kSegmentBit;
  const OpenedSegments& opened = boards->segments;
  if (segment == number || number >= opened.by_number.size()) return nullptr;
  const OpenedSegments::Segment& found = *opened.by_number[number];
  const bool is_of_board = found.slot == handle.slot && found.generation == handle.generation;
  return is_of_board ? &found : nullptr;
}

const Standings* standings_of(const laurel_boards* boards, laurel_board handle, uint64_t season) {
  const Board* const board = to_board(boards, handle);
  if (board == nullptr || season == 0 || season == board->season().number) return board;
  if ((season & kSegmentBit) == 0) return board->archived(season);
  const OpenedSegments::Segment* const opened = find_segment(boards, handle, season);
  if (opened == nullptr) return nullptr;
  if (opened->season != 0) {
    const auto cohorts = board->cohorts(opened->season);
    return cohorts ? &(*cohorts)->board(opened->name.cohort) : nullptr;
  }
  const Result<const Standings*> part = board->part(opened->name);
  return part ? *part : nullptr;
}

void fill_segments_api(laurel_api& api) {
  static const laurel_segments_api segments = make_segments_api();
  api.segments = &segments;
}

}  // namespace laurel
