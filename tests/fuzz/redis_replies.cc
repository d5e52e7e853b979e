// What a Redis server sends: of the bytes that the scanner lets pass, hiredis reads the same
// answers as the scanner, so that no length reaches it unchecked.
//
// Input: a byte, the size of the parts in which the rest arrives; 0: all at once.
#include <algorithm>
#include <hiredis/hiredis.h>
#include <memory>

#include "fuzz/target.h"
#include "remote/limits.h"
#include "remote/redis/net/reply_scanner.h"

namespace laurel::fuzz {
namespace {

struct FreeReader {
  void operator()(redisReader* reader) const { redisReaderFree(reader); }
};

std::size_t elements_of(const redisReply& reply) {
  std::size_t elements = reply.elements;
  for (std::size_t i = 0; i < reply.elements; ++i) elements += elements_of(*reply.element[i]);
  return elements;
}

// Returns whether hiredis accepts what it was fed.
bool read_all(redisReader& reader, std::uint64_t& replies) {
  for (;;) {
    void* found = nullptr;
    if (redisReaderGetReply(&reader, &found) != REDIS_OK) return false;
    if (found == nullptr) return true;
    ++replies;
    must(elements_of(*static_cast<redisReply*>(found)) <= kRedisAnswerElementsMax,
         "a list is no longer than the limit");
    freeReplyObject(found);
  }
}

}  // namespace
}  // namespace laurel::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace laurel::fuzz;
  if (size == 0) return 0;
  const std::string bytes(reinterpret_cast<const char*>(data) + 1, size - 1);
  const std::size_t part = data[0] == 0 ? std::max<std::size_t>(bytes.size(), 1) : data[0];
  laurel::redis::ReplyScanner scanner;
  const std::unique_ptr<redisReader, FreeReader> reader(redisReaderCreate());
  std::uint64_t replies = 0;
  for (std::size_t at = 0; at < bytes.size(); at += part) {
    const std::string came = bytes.substr(at, part);
    if (!scanner.scan(came).empty()) return 0;
    redisReaderFeed(reader.get(), came.data(), came.size());
    if (!read_all(*reader, replies)) return 0;
    must(replies == scanner.replies(), "hiredis and the scanner read the same answers");
  }
  return 0;
}
