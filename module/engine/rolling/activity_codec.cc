#include "engine/rolling/activity_codec.h"

#include <bit>
#include <cassert>
#include <limits>
#include <utility>

#include "base/bytes.h"

namespace laurel {

std::string pack_activity(Time at, std::span<const Amount> amounts,
                          std::optional<std::string_view> data) {
  std::string packed;
  pack_activity(at, amounts, data, packed);
  return packed;
}

void pack_activity(Time at, std::span<const Amount> amounts, std::optional<std::string_view> data,
                   std::string& packed) {
  ByteWriter writer(packed, packed.size() + kPackedActivityBytesMax);
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
}

PackedActivity unpack_activity(std::string_view packed) {
  std::optional<PackedActivity> activity = read_activity(packed);
  assert(activity && "bytes that pack_activity made");
  return std::move(activity).value_or(PackedActivity{});
}

std::optional<PackedActivity> read_activity(std::string_view packed) {
  ByteReader reader(packed);
  PackedActivity activity;
  activity.at = std::bit_cast<Time>(reader.u64());
  activity.amounts.resize(reader.leb(kBucketsMax));
  auto bucket = std::bit_cast<Bucket>(reader.u64());
  for (std::size_t i = 0; i < activity.amounts.size(); ++i) {
    if (i > 0) {
      const auto distance = static_cast<Bucket>(reader.leb(kBucketsMax));
      if (distance == 0 || bucket > std::numeric_limits<Bucket>::max() - distance) reader.fail();
      if (reader.ok()) bucket += distance;
    }
    activity.amounts[i] = {bucket, reader.u64()};
  }
  const std::uint8_t has_data = reader.u8();
  if (has_data == 1) activity.data = reader.bytes(reader.remaining());
  if (!reader.ok() || !reader.at_end() || has_data > 1 || activity.amounts.empty()) {
    return std::nullopt;
  }
  if (activity.data && activity.data->size() > kDataBytesMax) return std::nullopt;
  return activity;
}

}  // namespace laurel
