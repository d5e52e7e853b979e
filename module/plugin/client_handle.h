// client_handle.h - the struct behind the C interface's laurel_client.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "laurel/live.h"
#include "live/client/client.h"

// What a callback gets is kept here, for its memory.
struct laurel_client {
  std::unique_ptr<laurel::Client> client;
  std::string state;                      // the last one returned
  std::string player;                     // likewise
  std::vector<laurel_top_entry> entries;  // of the last callback, as the following
  std::vector<laurel_live_entry> live_entries;
  std::vector<double> scores;
  std::vector<laurel_column> columns;
};
