// What browsers send on a WebSocket of laurel-web: frames mean the same however they are cut.
//
// Input: a byte, the size of the pieces; then the bytes of the frames.
#include <algorithm>
#include <string>
#include <string_view>

#include "fuzz/target.h"
#include "web/http/websocket.h"

namespace {

std::string read(std::string_view bytes, std::size_t piece) {
  laurel::web::FrameReader reader;
  std::string said;
  while (!bytes.empty()) {
    const std::string copy(bytes.substr(0, piece));
    bytes.remove_prefix(copy.size());
    std::string_view some = copy;
    while (!some.empty()) {
      const std::size_t before = some.size();
      const auto result = reader.read(some);
      using Read = laurel::web::FrameReader::Read;
      if (result == Read::broken) return said + "broken";
      if (result == Read::more) {
        laurel::fuzz::must(some.empty(), "all bytes are used");
        break;
      }
      laurel::fuzz::must(some.size() < before, "a frame takes bytes");
      laurel::fuzz::must(reader.control().payload.size() <= 125, "a control frame is short");
      said += static_cast<char>('0' + static_cast<int>(reader.control().opcode));
      said += reader.control().payload;
    }
  }
  return said;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  const std::string_view bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t piece = std::max<std::size_t>(data[0], 1);
  laurel::fuzz::must(read(bytes, piece) == read(bytes, bytes.size()), "cuts do not matter");
  return 0;
}
