#include "transfer/json_ids.h"

#include <cstring>

#include "base/bytes.h"
#include "base/encoding.h"

namespace laurel {

namespace {

constexpr std::size_t kHashBytes = 12;

std::string packed(const IdHash& hash) {
  std::string bytes;
  ByteWriter writer(bytes, kHashBytes);
  writer.u64(hash.low);
  writer.u32(hash.high);
  return bytes;
}

// The bytes of a text in base64, if there are that many.
std::optional<std::string> bytes_of(const Json& value, std::size_t size) {
  const auto* text = value.get_ptr<const std::string*>();
  if (text == nullptr) return std::nullopt;
  std::optional<std::string> bytes = from_base64(*text);
  if (!bytes || bytes->size() != size) return std::nullopt;
  return bytes;
}

std::optional<AcceptedId> read_id(const Json& pair) {
  if (!pair.is_array() || pair.size() != 2 || !pair[1].is_number_integer()) return std::nullopt;
  const std::optional<std::string> hash = bytes_of(pair[0], kHashBytes);
  if (!hash) return std::nullopt;
  ByteReader reader(*hash);
  AcceptedId id;
  id.hash.low = reader.u64();
  id.hash.high = reader.u32();
  id.at = pair[1].get<Time>();
  return id;
}

}  // namespace

Json json_ids(const AcceptedIds::Seed& key, std::span<const AcceptedId> accepted) {
  Json list = Json::array();
  for (const AcceptedId& id : accepted) {
    list.push_back(Json::array({to_base64(packed(id.hash)), id.at}));
  }
  const std::string_view bytes(reinterpret_cast<const char*>(key.data()), key.size());
  return {{"key", to_base64(bytes)}, {"accepted", std::move(list)}};
}

Result<ReadIds> read_ids(const Json& value) {
  JsonObject object("ids", value);
  const std::optional<std::string> key = bytes_of(object.member("key"), AcceptedIds::kSeedBytes);
  if (!key) object.fail("key", "32 bytes in base64");
  ReadIds ids;
  const Json& list = object.member("accepted");
  if (!list.is_array()) object.fail("accepted", "an array");
  for (const Json& pair : list) {
    const std::optional<AcceptedId> id = read_id(pair);
    // A moment, so that no sum of times overflows.
    if (!id || !time_from_seconds(seconds_from_time(id->at))) {
      object.fail("accepted", "pairs of a hash, 12 bytes in base64, and a time");
      break;
    }
    ids.accepted.push_back(*id);
  }
  if (const Status whole = object.status(); !whole) return whole.refusal();
  std::memcpy(ids.key.data(), key->data(), key->size());
  return ids;
}

}  // namespace laurel
