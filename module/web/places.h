// places.h - counts streams and other connections, in all and of each address, and limits them.
//
//   place     what a stream or a connection holds while it lives.
//   owner     places refer to the Places, which must outlive them.
//   memory    an address takes about 64 bytes while it has a place.
//   threads   one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <utility>

#include "base/hash.h"
#include "web/http/address.h"

namespace laurel::web {

class Places {
 public:
  enum class Kind : std::uint8_t { stream, other };
  struct Limits {
    std::size_t streams = 0, streams_of_address = 0;
    std::size_t others_of_address = 0;
  };

  class Place {
   public:
    Place() = default;
    Place(Place&& from) noexcept
        : places_(std::exchange(from.places_, nullptr)),
          kind_(from.kind_),
          address_(from.address_) {}
    Place& operator=(Place&& from) noexcept {
      give_back();
      places_ = std::exchange(from.places_, nullptr);
      kind_ = from.kind_;
      address_ = from.address_;
      return *this;
    }
    ~Place() { give_back(); }

   private:
    friend class Places;
    Place(Places& places, Kind kind, const ClientAddress& address)
        : places_(&places), kind_(kind), address_(address) {}
    void give_back();

    Places* places_ = nullptr;
    Kind kind_ = Kind::other;
    ClientAddress address_;
  };

  enum class Refused : std::uint8_t {
    no,
    full,          // there may be no more in all
    address_full,  // this address may have no more
  };

  explicit Places(const Limits& limits) : limits_(limits) {}
  Places(const Places&) = delete;
  Places& operator=(const Places&) = delete;

  // Fills the place if there is one.
  Refused take(Kind kind, const ClientAddress& address, Place& place);

  std::size_t streams() const { return streams_; }

 private:
  struct Count {
    std::uint32_t streams = 0, others = 0;
  };
  struct Hash {
    Hash();
    HashSecret secret;
    std::size_t operator()(const ClientAddress& address) const;
  };

  Limits limits_;
  std::size_t streams_ = 0;
  std::unordered_map<ClientAddress, Count, Hash> of_address_;
};

}  // namespace laurel::web
