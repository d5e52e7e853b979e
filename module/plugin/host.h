// host.h - what stands behind the opaque pointers of laurel.h, and the guard at its border.
#pragma once

#include <algorithm>
#include <exception>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/limits.h"
#include "base/result.h"
#include "bindings/script_host.h"
#include "board/registry.h"
#include "laurel/laurel.h"
#include "laurel/remote.h"
#include "plugin/remote_calls.h"

struct laurel_live {
  laurel_boards* boards = nullptr;
  laurel::Registry::AudienceId audience = 0;
};

struct laurel_scripts {
  laurel_boards* boards = nullptr;
  std::unique_ptr<laurel::ScriptHost> host;
};

// A registry, with what the host opened on it. Ended in the order: scripts, live channels, boards,
// calls that wait.
struct laurel_boards {
  explicit laurel_boards(std::unique_ptr<laurel::Registry> opened);
  ~laurel_boards();

  laurel::RemoteCalls calls;  // outlives whoever answers them
  std::unique_ptr<laurel::Registry> registry;
  std::vector<std::unique_ptr<laurel_scripts>> scripts;
  std::vector<std::unique_ptr<laurel_live>> lives;
  laurel::Entries entries;  // of the last read; kept for its memory
  bool ticking = false;
};

namespace laurel {

// Copies a refusal to where the host wants it, and gives its code.
laurel_code tell(laurel_error* error, const Refusal& refusal);
laurel_code tell(laurel_error* error, laurel_code code, const char* text);
laurel_code tell_ok(laurel_error* error);
// Of a handle for which the registry has no board.
laurel_code tell_no_board(laurel_error* error, laurel_board handle);

// ---- boards elsewhere have this bit in the slot of their handle: no registry has so many

inline constexpr std::uint32_t kElsewhere = 0x8000'0000U;
static_assert(kBoardsMax < kElsewhere && kRemoteBoardsMax < kElsewhere);

inline bool is_elsewhere(laurel_board handle) { return (handle.slot & kElsewhere) != 0; }
inline laurel_board to_elsewhere(BoardHandle handle) {
  return {handle.slot | kElsewhere, handle.generation};
}
// REQUIRES: is_elsewhere.
inline BoardHandle from_elsewhere(laurel_board handle) {
  return {handle.slot & ~kElsewhere, handle.generation};
}

// ---- boards here

// Null when it was dropped, or lives elsewhere.
Board* to_board(const laurel_boards* boards, laurel_board handle);
// What a host hands in, as long as that lives.
Submission to_submission(const char* player, double score, const laurel_details* details);

// Where every write waits for the disk, so does its answer.
laurel_code commit(laurel_boards& boards, laurel_error* error);

// Entries as a host has them; returns how many. They point into what was read.
std::size_t hand_out(const Entries& entries, laurel_board_entry* out);
// The 0-based place of what hosts count from 1.
inline std::size_t first_to_index(uint64_t first) {
  return static_cast<std::size_t>(std::max<uint64_t>(first, 1) - 1);
}

// Where a config or spec ends before this member, the member is absent.
template <typename Config, typename Member>
bool has_member(const Config* config, Member Config::*member) {
  if (config == nullptr) return false;
  const auto* end = reinterpret_cast<const char*>(&(config->*member) + 1);
  return static_cast<std::size_t>(end - reinterpret_cast<const char*>(config)) <=
         config->struct_size;
}

// The member's value, or `absent` where the host does not know the member.
template <typename Config, typename Member>
Member member_or(const Config* config, Member Config::*member, Member absent) {
  return has_member(config, member) ? config->*member : absent;
}

// Strings that a host may leave out.
inline std::string_view text_or_empty(const char* text) { return text == nullptr ? "" : text; }

// Runs the call and gives its result; whatever it throws becomes `failed` and an error.
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

// The parts of the table, each in the file of its name.
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

// One tick of every script on these boards. [game]
void tick_scripts(laurel_boards& boards);

}  // namespace laurel
