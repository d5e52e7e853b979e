// boards: exporting, importing and backing up a whole registry.
#include <array>
#include <string>

#include "bindings/handle/methods.h"
#include "bindings/handle/registry_handle.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

Status transfer(Status (*act)(Registry&, const std::string&), Registry& registry,
                std::string_view file) {
  return act(registry, std::string(file));
}

constexpr const char* kExport = "export";
constexpr const char* kImport = "import";

// boards:export(file), boards:import(file) -> true | nil, reason
template <const char* const& name, Status (*act)(Registry&, const std::string&)>
int boards_export_or_import(lua_State* L) {
  const Call call{L, name};
  RegistryHandle& boards = boards_self(call);
  const std::string_view file = call.string(1);
  read_clock(call, boards);
  const Status done = transfer(act, registry_of(call, boards), file);
  flush_log(L, boards);
  if (!done) return refuse(L, done.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

Status back_up(Registry& registry, std::string_view directory) {
  return registry.backup(std::string(directory));
}

// boards:backup(directory) -> true | nil, reason
int boards_backup(lua_State* L) {
  const Call call{L, "backup"};
  RegistryHandle& boards = boards_self(call);
  const std::string_view directory = call.string(1);
  const Status done = back_up(registry_of(call, boards), directory);
  flush_log(L, boards);
  if (!done) return refuse(L, done.refusal());
  lua_pushboolean(L, 1);
  return 1;
}

constexpr std::array kTransferMethods = {
    luaL_Reg{"export", guarded<boards_export_or_import<kExport, export_registry>>},
    luaL_Reg{"import", guarded<write_method<boards_export_or_import<kImport, import_registry>>>},
    luaL_Reg{"backup", guarded<boards_backup>},
};

}  // namespace

Methods transfer_methods() { return kTransferMethods; }

}  // namespace laurel
