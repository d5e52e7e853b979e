#include "live/secure/server_key.h"

#include <cstring>

namespace laurel {

namespace {
// The rest of the row's key, so that another kind of key can be added.
constexpr std::string_view kServerKeyRow = "x25519";
}  // namespace

std::optional<KeyPair> stored_server_key(const PersistentRows& rows) {
  std::optional<KeyPair> pair;
  rows.each([&](std::string_view key, std::string_view value) {
    SecretKey stored;
    if (key != kServerKeyRow || value.size() != stored.size()) return;
    std::memcpy(stored.data(), value.data(), stored.size());
    pair = key_pair_of(stored);
  });
  return pair;
}

KeyPair make_server_key(const PersistentRows& rows) {
  const KeyPair pair = draw_key_pair();
  rows.put(kServerKeyRow,
           {reinterpret_cast<const char*>(pair.private_key.data()), pair.private_key.size()});
  return pair;
}

}  // namespace laurel
