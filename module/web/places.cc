#include "web/places.h"

#include <string_view>

namespace laurel::web {

Places::Hash::Hash() : secret(HashSecret::random()) {}

std::size_t Places::Hash::operator()(const ClientAddress& address) const {
  return secret({reinterpret_cast<const char*>(&address), sizeof address});
}

Places::Refused Places::take(Kind kind, const ClientAddress& address, Place& place) {
  const bool is_stream = kind == Kind::stream;
  if (is_stream && streams_ >= limits_.streams) return Refused::full;
  const std::size_t most = is_stream ? limits_.streams_of_address : limits_.others_of_address;
  Count& count = of_address_[address];
  std::uint32_t& held = is_stream ? count.streams : count.others;
  if (held >= most) return Refused::address_full;
  ++held;
  if (is_stream) ++streams_;
  place = Place(*this, kind, address);
  return Refused::no;
}

void Places::Place::give_back() {
  if (places_ == nullptr) return;
  Places& places = *std::exchange(places_, nullptr);
  const auto found = places.of_address_.find(address_);
  Count& count = found->second;
  if (kind_ == Kind::stream) --places.streams_;
  --(kind_ == Kind::stream ? count.streams : count.others);
  if (count.streams == 0 && count.others == 0) places.of_address_.erase(found);
}

}  // namespace laurel::web
