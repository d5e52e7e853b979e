// convert.h - values of the C interface to values of the library, and back.
//
//   errors   a function that can fail fills a laurel_error and returns its code.
//   views    are valid while the arguments of the call are.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <new>
#include <string_view>

#include "base/limits.h"
#include "base/memory_guarantee.h"
#include "base/result.h"
#include "laurel/columns.h"
#include "laurel/laurel.h"
#include "laurel/remote.h"
#include "rank/score/score_columns.h"
#include "registry/registry.h"
#include "remote/limits.h"

namespace laurel {

// Copies a refusal to *error unless that is null, and returns its code.
laurel_code tell(laurel_error* error, const Refusal& refusal);
laurel_code tell(laurel_error* error, laurel_code code, const char* text);
laurel_code tell_ok(laurel_error* error);
// Reports a handle for which the registry has no board.
laurel_code tell_no_board(laurel_error* error, laurel_board handle);

// ---- remote boards: their handles have this bit in the slot, which no local slot number uses

inline constexpr std::uint32_t kRemoteBit = 0x8000'0000U;
static_assert(kBoardsMax < kRemoteBit && kRemoteBoardsMax < kRemoteBit);

inline bool is_remote(laurel_board handle) { return (handle.slot & kRemoteBit) != 0; }
inline laurel_board to_remote_handle(BoardHandle handle) {
  return {handle.slot | kRemoteBit, handle.generation};
}
// REQUIRES: is_remote().
inline BoardHandle from_remote_handle(laurel_board handle) {
  return {handle.slot & ~kRemoteBit, handle.generation};
}

// ---- values

// Views of the arguments, valid while those are.
Submission to_submission(const char* player, double score, const laurel_details* details);

laurel_column column_of(const ScoreColumn& column);
laurel_outcome to_outcome(const Outcome& outcome);
// A view of the entry.
laurel_board_entry hand_out(const Entry& entry);
// Converts entries, as views of them; returns how many.
std::size_t hand_out(const Entries& entries, laurel_board_entry* out);
// Converts a position that counts from 1 to an index.
inline std::size_t first_to_index(uint64_t first) {
  return static_cast<std::size_t>(std::max<uint64_t>(first, 1) - 1);
}

// False if the caller's config or spec, by its struct_size, ends before the member.
template <typename Config, typename Member>
bool has_member(const Config* config, Member Config::*member) {
  if (config == nullptr) return false;
  const auto* end = reinterpret_cast<const char*>(&(config->*member) + 1);
  return static_cast<std::size_t>(end - reinterpret_cast<const char*>(config)) <=
         config->struct_size;
}

// The member's value, or `absent` if the caller's struct does not have it.
template <typename Config, typename Member>
Member member_or(const Config* config, Member Config::*member, Member absent) {
  return has_member(config, member) ? config->*member : absent;
}

// Fills a struct of the caller up to its struct_size, which becomes the number of bytes that are
// filled.
template <typename Struct>
void fill_out(Struct filled, Struct* out) {
  filled.struct_size = std::min<std::uint32_t>(out->struct_size, sizeof filled);
  std::memcpy(out, &filled, filled.struct_size);
}

// An optional string: null is empty.
inline std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// Runs the call and returns its result. If it throws, fills *error and returns `failed`.
template <typename Call, typename Failed>
auto guarded(laurel_error* error, Failed failed, const Call& call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::bad_alloc&) {
    tell(error, no_memory());
  } catch (const std::exception& exception) {
    tell(error, Refusal(Code::unavailable, "internal error: {}", exception.what()));
  } catch (...) {
    tell(error, Refusal(Code::unavailable, "internal error"));
  }
  return failed;
}

}  // namespace laurel
