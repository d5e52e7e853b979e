// The C interface's disk: flush, backup, export and import, and how much is not on disk.
#include <string>

#include "plugin/host.h"
#include "transfer/transfer.h"

namespace laurel {

namespace {

laurel_code answer(laurel_error* error, const Status& status) {
  return status ? tell_ok(error) : tell(error, status.refusal());
}

// Runs a call that takes the name of a file or directory.
template <typename Call>
laurel_code with_name(const char* name, laurel_error* error, Call call) {
  return guarded(error, LAUREL_UNAVAILABLE, [&]() -> laurel_code {
    if (name == nullptr) return tell(error, LAUREL_INVALID, "invalid: a name is needed");
    return answer(error, call(std::string(name)));
  });
}

laurel_code flush(laurel_boards* boards, laurel_error* error) {
  return guarded(error, LAUREL_UNAVAILABLE,
                 [&]() -> laurel_code { return answer(error, boards->registry->flush()); });
}

laurel_code backup(laurel_boards* boards, const char* directory, laurel_error* error) {
  return with_name(directory, error,
                   [&](const std::string& name) { return boards->registry->backup(name); });
}

laurel_code export_to(laurel_boards* boards, const char* file, laurel_error* error) {
  return with_name(file, error, [&](const std::string& name) {
    return export_registry(*boards->registry, name);
  });
}

laurel_code import_from(laurel_boards* boards, const char* file, laurel_error* error) {
  return with_name(file, error, [&](const std::string& name) -> Status {
    Status imported = import_registry(*boards->registry, name);
    return imported ? boards->registry->commit() : imported;
  });
}

void disk(laurel_boards* boards, laurel_disk* out) {
  guarded(nullptr, 0, [&] {
    const RegistryStats stats = boards->registry->stats();
    const laurel_disk facts{.struct_size = sizeof facts,
                            .writable = boards->registry->writable() ? 1 : 0,
                            .waiting_submissions = stats.submissions_waiting,
                            .waiting_bytes = stats.disk.waiting_bytes,
                            .waiting_seconds = stats.disk.waiting_seconds,
                            .transactions = stats.disk.transactions,
                            .failures = stats.disk.failures,
                            .file_bytes = stats.disk.file_bytes};
    fill_out(facts, out);
    return 0;
  });
}

}  // namespace

void fill_disk_api(laurel_api& api) {
  api.flush = flush;
  api.backup = backup;
  api.export_to = export_to;
  api.import_from = import_from;
  api.disk = disk;
}

}  // namespace laurel
