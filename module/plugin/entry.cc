// The entry symbol of the C interface, and the functions that all its parts share.
#include <algorithm>
#include <cstring>

#include "base/version.h"
#include "plugin/host.h"

namespace laurel {

static_assert(static_cast<laurel_code>(Code::invalid) + 1 == LAUREL_INVALID);
static_assert(static_cast<laurel_code>(Code::unavailable) + 1 == LAUREL_UNAVAILABLE);
static_assert(kRefusalBytesMax < sizeof laurel_error::text);

laurel_code tell(laurel_error* error, laurel_code code, const char* text) {
  if (error != nullptr) {
    error->code = code;
    const std::size_t size = std::min(std::strlen(text), sizeof error->text - 1);
    std::memcpy(error->text, text, size);
    error->text[size] = '\0';
  }
  return code;
}

laurel_code tell(laurel_error* error, const Refusal& refusal) {
  return tell(error, static_cast<laurel_code>(refusal.code()) + 1, refusal.c_str());
}

laurel_code tell_ok(laurel_error* error) { return tell(error, LAUREL_OK, ""); }

laurel_code tell_no_board(laurel_error* error, laurel_board handle) {
  if (is_remote(handle)) {
    return tell(error, LAUREL_UNSUPPORTED,
                "unsupported: this board lives elsewhere, and is asked by the calls of remote.h");
  }
  return tell(error, LAUREL_UNKNOWN, "unknown: this board was dropped or never opened");
}

laurel_code commit(laurel_boards& boards, laurel_error* error) {
  const Status kept = boards.registry->commit();
  return kept ? tell_ok(error) : tell(error, kept.refusal());
}

std::size_t hand_out(const Entries& entries, laurel_board_entry* out) {
  std::transform(entries.begin(), entries.end(), out, [](const Entry& entry) {
    return laurel_board_entry{.player = entry.player.data(),
                              .player_size = entry.player.size(),
                              .score = entry.score,
                              .rank = entry.rank,
                              .at = entry.at,
                              .data = entry.data ? entry.data->data() : nullptr,
                              .data_size = entry.data ? entry.data->size() : 0};
  });
  return entries.size();
}

namespace {

laurel_api make_api() {
  laurel_api api{};
  api.struct_size = sizeof api;
  api.abi_version = LAUREL_ABI_VERSION;
  api.version = kVersion;
  fill_opening_api(api);
  fill_boards_api(api);
  fill_client_api(api);
  fill_live_api(api);
  fill_scripts_api(api);
  fill_disk_api(api);
  fill_seasons_api(api);
  fill_players_api(api);
  fill_operating_api(api);
  fill_remote_api(api);
  fill_watch_api(api);
  return api;
}

}  // namespace

}  // namespace laurel

extern "C" __attribute__((visibility("default"))) const laurel_api* laurel_entry(
    uint32_t abi_version) {
  static const laurel_api api = laurel::make_api();
  return abi_version == LAUREL_ABI_VERSION ? &api : nullptr;
}
