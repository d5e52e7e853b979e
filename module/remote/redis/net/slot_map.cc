#include "remote/redis/net/slot_map.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "remote/limits.h"

namespace laurel::redis {

namespace {

constexpr std::array<std::uint16_t, 256> crc_table() {
  std::array<std::uint16_t, 256> table{};
  for (unsigned byte = 0; byte < table.size(); ++byte) {
    auto crc = static_cast<std::uint16_t>(byte << 8);
    for (int bit = 0; bit < 8; ++bit) {
      const bool carries = (crc & 0x8000) != 0;
      crc = static_cast<std::uint16_t>(crc << 1);
      if (carries) crc ^= 0x1021;
    }
    table[byte] = crc;
  }
  return table;
}

constexpr std::array<std::uint16_t, 256> kCrcTable = crc_table();

template <typename Number>
bool read_number(std::string_view text, Number& number) {
  const auto end = std::from_chars(text.data(), text.data() + text.size(), number);
  return end.ec == std::errc() && end.ptr == text.data() + text.size();
}

bool is_slot(const Reply& reply) {
  return reply.kind == Reply::Kind::integer && reply.integer >= 0 && reply.integer < kSlots;
}

}  // namespace

std::uint16_t crc16(std::string_view bytes) {
  std::uint16_t crc = 0;
  for (const char byte : bytes) {
    const auto index = static_cast<std::uint8_t>((crc >> 8) ^ static_cast<std::uint8_t>(byte));
    crc = static_cast<std::uint16_t>((crc << 8) ^ kCrcTable[index]);
  }
  return crc;
}

std::uint16_t slot_of(std::string_view key) {
  if (const std::size_t open = key.find('{'); open != std::string_view::npos) {
    const std::size_t close = key.find('}', open + 1);
    if (close != std::string_view::npos && close > open + 1) {
      key = key.substr(open + 1, close - open - 1);
    }
  }
  return crc16(key) % kSlots;
}

void SlotMap::set_single(const Address& address) {
  is_cluster_ = false;
  addresses_ = {address};
  owned_ = {kSlots};
  owners_.assign(kSlots, 0);
}

std::uint16_t SlotMap::number_of(const Address& address) {
  const auto found = std::find(addresses_.begin(), addresses_.end(), address);
  if (found != addresses_.end()) return static_cast<std::uint16_t>(found - addresses_.begin());
  if (addresses_.size() >= kRedisNodesMax) return kNobody;
  addresses_.push_back(address);
  owned_.push_back(0);
  return static_cast<std::uint16_t>(addresses_.size() - 1);
}

bool SlotMap::set(const Reply& slots, const Address& from) {
  if (slots.kind != Reply::Kind::list || slots.list.empty()) return false;
  SlotMap fresh;
  fresh.is_cluster_ = true;
  fresh.owners_.assign(kSlots, kNobody);
  std::int64_t slots_left = kSlots;  // no slot is in two ranges
  for (const Reply& range : slots.list) {
    if (range.list.size() < 3 || !is_slot(range.list[0]) || !is_slot(range.list[1])) return false;
    const std::int64_t size = range.list[1].integer - range.list[0].integer + 1;
    slots_left -= size;
    if (size < 1 || slots_left < 0) return false;
    const Reply& master = range.list[2];
    if (master.list.size() < 2) return false;
    const std::int64_t port = master.list[1].integer;
    if (port < 1 || port > 65'535) return false;
    Address address{master.list[0].text, static_cast<std::uint16_t>(port)};
    if (address.host.empty()) address.host = from.host;
    const std::uint16_t owner = fresh.number_of(address);
    for (std::int64_t slot = range.list[0].integer; slot <= range.list[1].integer; ++slot) {
      fresh.assign(static_cast<std::size_t>(slot), owner);
    }
  }
  *this = std::move(fresh);
  return true;
}

void SlotMap::move(std::uint16_t slot, const Address& address) {
  if (owners_.empty()) owners_.assign(kSlots, kNobody);
  assign(slot, number_of(address));
}

void SlotMap::assign(std::size_t slot, std::uint16_t owner) {
  std::uint16_t& held = owners_[slot];
  if (held != kNobody) --owned_[held];
  if (owner != kNobody) ++owned_[owner];
  held = owner;
}

const Address* SlotMap::find(std::uint16_t slot) const {
  if (owners_.empty() || owners_[slot] == kNobody) return nullptr;
  return &addresses_[owners_[slot]];
}

std::vector<Address> SlotMap::masters() const {
  std::vector<Address> masters;
  for (std::size_t i = 0; i < addresses_.size(); ++i) {
    if (owned_[i] > 0) masters.push_back(addresses_[i]);
  }
  return masters;
}

std::optional<Redirection> redirection(std::string_view error, const Address& from) {
  Redirection found;
  if (error.starts_with("ASK ")) {
    found.requests = true;
  } else if (!error.starts_with("MOVED ")) {
    return std::nullopt;
  }
  const std::size_t first = error.find(' ');
  const std::size_t second = error.find(' ', first + 1);
  if (second == std::string_view::npos) return std::nullopt;
  const std::string_view where = error.substr(second + 1);
  const std::size_t colon = where.rfind(':');
  if (colon == std::string_view::npos) return std::nullopt;
  found.address.host = where.substr(0, colon);
  if (found.address.host.empty()) found.address.host = from.host;
  const bool good = read_number(error.substr(first + 1, second - first - 1), found.slot) &&
                    found.slot < kSlots && read_number(where.substr(colon + 1), found.address.port);
  if (!good) return std::nullopt;
  return found;
}

}  // namespace laurel::redis
