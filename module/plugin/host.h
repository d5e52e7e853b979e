// host.h - the structs behind the opaque pointers of laurel.h, and what all *_api.cc files need.
#pragma once

#include <compare>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/scripts/script_host.h"
#include "laurel/laurel.h"
#include "laurel/players.h"
#include "laurel/watch.h"
#include "plugin/convert.h"
#include "plugin/remote_calls.h"
#include "registry/registry.h"

namespace laurel {

class Publisher;
struct PublishOptions;

// The segments and cohorts that a host has opened, by numbers. They stay as long as the boards.
struct OpenedSegments {
  struct Segment {
    uint32_t slot = 0;
    uint32_t generation = 0;
    SegmentName name;
    uint64_t season = 0;  // of a cohort: a past one, or 0 for the running one

    friend auto operator<=>(const Segment&, const Segment&) = default;
  };
  std::map<Segment, uint64_t> numbers;
  std::vector<const Segment*> by_number;
  std::vector<std::string> values;  // that were listed last
};

}  // namespace laurel

struct laurel_live {
  laurel_boards* boards = nullptr;
  laurel::Registry::ObserverId observer = 0;
};

struct laurel_scripts {
  laurel_boards* boards = nullptr;
  std::unique_ptr<laurel::ScriptHost> host;
};

// A registry and what the host opened on it. The destructor ends scripts, then live channels, then
// the boards, then pending calls.
struct laurel_boards {
  explicit laurel_boards(std::unique_ptr<laurel::Registry> opened);
  ~laurel_boards();

  laurel::RemoteCalls calls;  // outlives the registry, which completes the calls
  std::unique_ptr<laurel::Registry> registry;
  std::vector<std::unique_ptr<laurel_scripts>> scripts;
  std::vector<std::unique_ptr<laurel_live>> lives;
  laurel::Entries entries;                      // of the last read; kept for its memory
  std::optional<laurel::OwnedProfile> profile;  // that was read last
  std::vector<laurel_attribute> attributes;     // of that profile
  std::string player_name;                      // that was read last
  std::string metrics;                          // the text that was made last
  laurel::OpenedSegments segments;
  bool ticking = false;
};

namespace laurel {

// Null if it was dropped, or is remote.
Board* to_board(const laurel_boards* boards, laurel_board handle);
// A segment or cohort that was opened; null if the board has not opened one with this number.
const OpenedSegments::Segment* find_segment(const laurel_boards* boards, laurel_board handle,
                                            uint64_t segment);
// What a read is from: a season of the board, 0 for the running one, or a segment or cohort. Null
// if there is no such board, season, segment or cohort.
const Standings* standings_of(const laurel_boards* boards, laurel_board handle, uint64_t season);
// The refusal if standings_of() is null. REQUIRES: season != 0.
Refusal no_such_standings(uint64_t season);
Publisher* publisher_of(const laurel_live* live);
laurel_code publish(laurel_live* live, laurel_board board, const PublishOptions& options,
                    laurel_error* error);
// As watch of watch.h, of the board, or of a segment or cohort of it.
laurel_code begin_watch(laurel_boards* boards, laurel_board handle,
                        const std::optional<SegmentName>& segment, size_t n,
                        laurel_on_change on_change, void* context, laurel_watch* watch,
                        laurel_error* error);
// Waits for the disk if durability is "always", then fills *error with success or the failure.
laurel_code commit(laurel_boards& boards, laurel_error* error);

// Submits the scores to these boards, or the submission's to all if there are none. `held` and
// `refused_at` are as in results.h.
laurel_code submit_to(laurel_boards* boards, std::span<const laurel_board> handles,
                      const Submission& submission, std::span<const Registry::GivenScore> scores,
                      double* held, size_t* refused_at, laurel_error* error);

// Each fills its part of the table, and is in the file of its name.
void fill_boards_api(laurel_api& api);
void fill_channel_api(laurel_api& api);
void fill_client_api(laurel_api& api);
void fill_columns_api(laurel_api& api);
void fill_marks_api(laurel_api& api);
void fill_metrics_api(laurel_api& api);
void fill_disk_api(laurel_api& api);
void fill_live_api(laurel_api& api);
void fill_opening_api(laurel_api& api);
void fill_operating_api(laurel_api& api);
void fill_players_api(laurel_api& api);
void fill_reads_api(laurel_api& api);
void fill_remote_api(laurel_api& api);
void fill_results_api(laurel_api& api);
void fill_scripts_api(laurel_api& api);
void fill_seasons_api(laurel_api& api);
void fill_segments_api(laurel_api& api);
void fill_watch_api(laurel_api& api);

// Runs a tick of all scripts on these boards. [game]
void tick_scripts(laurel_boards& boards);

}  // namespace laurel
