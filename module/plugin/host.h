// host.h - the structs behind the opaque pointers of laurel.h, and helpers of all *_api.cc files.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "bindings/scripts/script_host.h"
#include "laurel/laurel.h"
#include "laurel/remote.h"
#include "plugin/remote_calls.h"
#include "registry/registry.h"

struct laurel_live {
  laurel_boards* boards = nullptr;
  laurel::Registry::ObserverId observer = 0;
};

struct laurel_scripts {
  laurel_boards* boards = nullptr;
  std::unique_ptr<laurel::ScriptHost> host;
};

// A registry and what the host opened on it. The destructor ends scripts, then live channels, then
// the boards, then pending calls.
struct laurel_boards {
  explicit laurel_boards(std::unique_ptr<laurel::Registry> opened);
  ~laurel_boards();

  laurel::RemoteCalls calls;  // outlives the registry, which completes the calls
  std::unique_ptr<laurel::Registry> registry;
  std::vector<std::unique_ptr<laurel_scripts>> scripts;
  std::vector<std::unique_ptr<laurel_live>> lives;
  laurel::Entries entries;  // of the last read; kept for its memory
  bool ticking = false;
};

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

// ---- local boards

// Null if it was dropped, or is remote.
Board* to_board(const laurel_boards* boards, laurel_board handle);
// Views of the arguments, valid while those are.
Submission to_submission(const char* player, double score, const laurel_details* details);

// Waits for the disk if durability is "always", then fills *error with success or the failure.
laurel_code commit(laurel_boards& boards, laurel_error* error);

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

// An optional string: null is empty.
inline std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// Runs the call and returns its result. If it throws, fills *error and returns `failed`.
template <typename Call, typename Failed>
auto guarded(laurel_error* error, Failed failed, Call call) -> decltype(call()) {
  try {
    return call();
  } catch (const std::exception& exception) {
    tell(error, Refusal(Code::unavailable, "internal error: {}", exception.what()));
  } catch (...) {
    tell(error, Refusal(Code::unavailable, "internal error"));
  }
  return failed;
}

// Each fills its part of the table, and is in the file of its name.
void fill_boards_api(laurel_api& api);
void fill_client_api(laurel_api& api);
void fill_disk_api(laurel_api& api);
void fill_live_api(laurel_api& api);
void fill_opening_api(laurel_api& api);
void fill_operating_api(laurel_api& api);
void fill_players_api(laurel_api& api);
void fill_remote_api(laurel_api& api);
void fill_scripts_api(laurel_api& api);
void fill_seasons_api(laurel_api& api);
void fill_watch_api(laurel_api& api);

// Runs a tick of all scripts on these boards. [game]
void tick_scripts(laurel_boards& boards);

}  // namespace laurel
