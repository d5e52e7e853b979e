// control.h - the interface from a registry to what takes orders for it from other processes. The
// registry knows only this; control/ implements it.
//
//   threads  the registry's caller. No call waits.
#pragma once

#include "base/result.h"

namespace laurel {

class Registry;

class Control {
 public:
  virtual ~Control() = default;

  // The registry is open, and its directory is its own.
  virtual void on_open(Registry& registry) = 0;
  // Once a tick, before changes are reported: takes orders, and answers those whose changes are on
  // the disk.
  virtual void tick(Registry& registry) = 0;
  // The registry closes: `flushed` tells whether all is on the disk.
  virtual void close(const Status& flushed) = 0;
};

}  // namespace laurel
