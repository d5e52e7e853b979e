// server_key.h - the pair of keys of a registry, whose public one its tokens carry. All live
// servers of the registry have the same.
//
//   row      in a durable store, the private key: 32 bytes. It is made when it is first needed, and
//            stays: tokens that were given out know it.
//   secret   an attacker that can read the store's file can pass for the server, but cannot read
//            recorded connections.
//   threads  the registry's caller.
#pragma once

#include <optional>

#include "board/persistent_rows.h"
#include "live/secure/key_pair.h"

namespace laurel {

// The stored pair, if there is one.
std::optional<KeyPair> stored_server_key(const PersistentRows& rows);

// Draws a pair and stores it. REQUIRES: none is stored.
KeyPair make_server_key(const PersistentRows& rows);

}  // namespace laurel
