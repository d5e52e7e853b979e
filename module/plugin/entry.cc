// The entry symbol of the C interface, and what its parts share.
#include "base/version.h"
#include "plugin/host.h"

namespace laurel {

laurel_code commit(laurel_boards& boards, laurel_error* error) {
  const Status kept = boards.registry->commit();
  return kept ? tell_ok(error) : tell(error, kept.refusal());
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
  fill_results_api(api);
  fill_reads_api(api);
  fill_columns_api(api);
  fill_marks_api(api);
  fill_metrics_api(api);
  fill_segments_api(api);
  fill_channel_api(api);
  return api;
}

}  // namespace

}  // namespace laurel

extern "C" __attribute__((visibility("default"))) const laurel_api* laurel_entry(
    uint32_t abi_version) {
  static const laurel_api api = laurel::make_api();
  return abi_version == LAUREL_ABI_VERSION ? &api : nullptr;
}
