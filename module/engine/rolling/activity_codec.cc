#include "engine/rolling/activity_codec.h"

#include <bit>
#include <cassert>

#include "base/bytes.h"

namespace laurel {

std::string pack_activity(Time at, std::span<const Amount> amounts,
                          std::optional<std::string_view> data) {
  std::string packed;
  ByteWriter writer(packed, kPackedActivityBytesMax);
  writer.u64(std::bit_cast<std::uint64_t>(at));
  writer.leb(amounts.size());
  Bucket before = amounts.front().bucket;
  writer.u64(std::bit_cast<std::uint64_t>(before));
  for (const Amount& amount : amounts) {
    if (&amount != amounts.data()) {
      writer.leb(static_cast<std::uint64_t>(amount.bucket - before));
    }
    writer.u64(amount.amount);
    before = amount.bucket;
  }
  writer.u8(data ? 1 : 0);
  if (data) writer.bytes(*data);
  assert(writer.ok());
  return packed;
}

PackedActivity unpack_activity(std::string_view packed) {
  ByteReader reader(packed);
  PackedActivity activity;
  activity.at = std::bit_cast<Time>(reader.u64());
  activity.amounts.resize(reader.leb(kBucketsMax));
  auto bucket = std::bit_cast<Bucket>(reader.u64());
  for (std::size_t i = 0; i < activity.amounts.size(); ++i) {
    if (i > 0) bucket += static_cast<Bucket>(reader.leb(kBucketsMax));
    activity.amounts[i] = {bucket, reader.u64()};
  }
  if (reader.u8() != 0) activity.data = reader.bytes(reader.remaining());
  assert(reader.ok());
  return activity;
}

}  // namespace laurel
