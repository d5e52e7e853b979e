// board: its segments, the players with one value of an attribute, and its cohorts.
#include <array>

#include "base/text.h"
#include "bindings/api/board_call.h"
#include "bindings/lua/table.h"
#include "board/segments/board_cohorts.h"
#include "board/segments/segment_orders.h"
#include "profile/attributes.h"

namespace laurel {

namespace {

namespace segments {

Refusal no_segments_of_remote(const RemoteBoardRef& self) {
  return {Code::unsupported, "board \"{}\" is remote: it has no segments",
          escaped(self.name(), 64)};
}

Refusal no_segments_of_part(const BoardRef& self) {
  if (self.season == kSegment || self.cohort != 0) {
    return {Code::unsupported, "a {} has no segments", kind_of_part(self)};
  }
  return {Code::unsupported, "season {} has ended: only the running season has segments",
          self.season};
}

// ---- board:segment(attribute, value) -> board of those players | nil, reason

int local_segment(lua_State* L) {
  const Call call{L, "segment"};
  const BoardRef& self = board_self(call);
  const std::string_view attribute = call.string(1);
  const std::string_view value = call.string(2);
  if (self.season != 0) return refuse(L, no_segments_of_part(self));
  const Result<const Standings*> found = board_of(call, self).segment(attribute, value);
  if (!found) return refuse(L, found.refusal());
  const Status valid = check_attribute_value(attribute, value);
  if (!valid) return refuse(L, valid.refusal());
  push_segment(L, *self.boards, self.handle, self.name(), attribute, value);
  return 1;
}

int remote_segment(lua_State* L) {
  const Call call{L, "segment"};
  const RemoteBoardRef& self = remote_self(call);
  call.string(1);
  call.string(2);
  return refuse(L, no_segments_of_remote(self));
}

// ---- board:segments(attribute) -> { { value=, size= }, ... }, the largest first | nil, reason

Status copy_sizes(const Board& board, std::string_view attribute, CallBuffers& buffers) {
  const Result<std::vector<SegmentSize>> sizes = board.segments(attribute);
  if (!sizes) return sizes.refusal();
  for (const SegmentSize& each : *sizes) {
    buffers.value_sizes.push_back({std::string(each.value), each.size});
  }
  return Done{};
}

int local_segments(lua_State* L) {
  const Call call{L, "segments"};
  const BoardRef& self = board_self(call);
  const std::string_view attribute = call.string(1);
  if (self.season != 0) return refuse(L, no_segments_of_part(self));
  CallBuffers& buffers = borrow_buffers(call, self);
  const Status copied = copy_sizes(board_of(call, self), attribute, buffers);
  if (copied) {
    push_array(L, buffers.value_sizes, [](lua_State* state, const ValueSize& each) {
      lua_createtable(state, 0, 2);
      set_text(state, "value", each.value);
      set_number(state, "size", static_cast<double>(each.size));
    });
  }
  self.boards->buffers.give_back(buffers);
  return copied ? 1 : refuse(L, copied.refusal());
}

int remote_segments(lua_State* L) {
  const Call call{L, "segments"};
  const RemoteBoardRef& self = remote_self(call);
  call.string(1);
  return refuse(L, no_segments_of_remote(self));
}

}  // namespace segments

namespace cohorts {

// The cohorts of the season that the handle reads.
Result<const BoardCohorts*> find(const Call& call, const BoardRef& self) {
  if (self.season == kSegment || self.cohort != 0) {
    return Refusal(Code::unsupported, "a {} has no cohorts", kind_of_part(self));
  }
  return board_of(call, self).cohorts(self.season);
}

int refuse_remote(lua_State* L, const RemoteBoardRef& self) {
  return refuse(L, {Code::unsupported, "board \"{}\" is remote: it has no cohorts",
                    escaped(self.name(), 64)});
}

// ---- board:cohort(player) -> board of the cohort's players, its number | nil | nil, reason

int local_cohort(lua_State* L) {
  const Call call{L, "cohort"};
  const BoardRef& self = board_self(call);
  const std::string_view player = call.string(1);
  const Result<const BoardCohorts*> found = find(call, self);
  if (!found) return refuse(L, found.refusal());
  const std::uint32_t number = (*found)->number_of(player);
  if (number == 0) {
    lua_pushnil(L);
    return 1;
  }
  push_cohort(L, *self.boards, self.handle, self.season, self.name(), number);
  return 1 + push_answer(L, std::uint64_t{number});
}

int remote_cohort(lua_State* L) {
  const Call call{L, "cohort"};
  const RemoteBoardRef& self = remote_self(call);
  call.string(1);
  return refuse_remote(L, self);
}

// ---- board:cohorts() -> how many there are | nil, reason

int local_cohorts(lua_State* L) {
  const Call call{L, "cohorts"};
  const BoardRef& self = board_self(call);
  const Result<const BoardCohorts*> found = find(call, self);
  if (!found) return refuse(L, found.refusal());
  return push_answer(L, std::uint64_t{(*found)->size()});
}

int remote_cohorts(lua_State* L) {
  const Call call{L, "cohorts"};
  return refuse_remote(L, remote_self(call));
}

}  // namespace cohorts

constexpr std::array kBoardSegmentMethods = {
    BoardMethod{"segment", guarded<segments::local_segment>, guarded<segments::remote_segment>},
    BoardMethod{"segments", guarded<segments::local_segments>, guarded<segments::remote_segments>},
    BoardMethod{"cohort", guarded<cohorts::local_cohort>, guarded<cohorts::remote_cohort>},
    BoardMethod{"cohorts", guarded<cohorts::local_cohorts>, guarded<cohorts::remote_cohorts>},
};

}  // namespace

BoardMethods board_segment_methods() { return kBoardSegmentMethods; }

}  // namespace laurel
