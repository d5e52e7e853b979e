#include "store/store.h"

#include "store/write_buffer.h"

namespace laurel {

std::unique_ptr<WriteBuffer> Store::open_buffer(std::string_view) { return nullptr; }

Status Store::backup(const std::string&) {
  return Refusal(Code::unsupported, "boards in memory have no file to back up; use export");
}

}  // namespace laurel
