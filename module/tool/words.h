// words.h - the words of the command line. Each does what laurel(1) says of it.
//
//   reading   changes nothing in the directory, and needs nothing of the process that has it open.
//   n         below 1: nothing. Positions count from 1; below 1 is 1.
//   fails     as its source does (source.h), and as said here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "control/moderation_line.h"
#include "tool/answer.h"

namespace laurel::tool {

Result<Answer> show_boards(const std::string& directory);
Result<Answer> show_info(const std::string& directory, const std::string& board,
                         std::optional<std::uint64_t> season);
Result<Answer> show_top(const std::string& directory, const std::string& board, std::int64_t n,
                        std::int64_t from, std::optional<std::uint64_t> season);
// These three fail with unknown if the player is not ranked, or there is no trace of the player.
Result<Answer> show_rank(const std::string& directory, const std::string& board,
                         const std::string& player, std::optional<std::uint64_t> season);
Result<Answer> show_around(const std::string& directory, const std::string& board,
                           const std::string& player, std::int64_t n,
                           std::optional<std::uint64_t> season);
struct WantedPlayer {
  std::string id;  // empty: the one with the email
  std::string email;
};
Result<Answer> show_player(const std::string& directory, const WantedPlayer& wanted);

Result<Answer> show_stats(const std::string& directory);
// A file that cannot be opened because it is damaged is a finding.
Result<Answer> check(const std::string& directory);

enum class ExportForm : std::uint8_t { jsonl, csv };
// The file "-" is standard output or input.
Status export_to(const std::string& directory, const std::string& file,
                 const std::optional<std::string>& board, ExportForm form);
// Writes to the directory. Fails with taken if a process has it open.
Status import_from(const std::string& directory, const std::string& file);
// A table of results of another program (import_csv.h).
struct CsvTable {
  std::string file;
  std::string board;
  std::string map;
  // The order of the board, which is made; then there must be none of that name.
  std::optional<std::string> order;
};
// Takes all of it or nothing. Rules are not asked. Fails as import_from does, and as the first
// result that is refused, naming its line.
Status import_table(const std::string& directory, const CsvTable& table);
// Fails with taken unless the target does not exist or is empty.
Status back_up(const std::string& directory, const std::string& target);

struct ServerAddress {
  std::string host;
  std::uint16_t port = 0;
};
// "example.org:7777"; absent if the text is none.
std::optional<ServerAddress> read_address(std::string_view text);

// A board on a live channel.
struct Watched {
  ServerAddress server;
  std::string board;
  std::int64_t n = 10;
  std::optional<std::string> token_file;
  bool json = false;     // else if standard output is not a terminal
  bool colours = false;  // on the terminal
};
// Writes the top to standard output, as often as it changes, until SIGINT or SIGTERM. A lost
// connection is made again. Fails with
//   unknown       the server does not publish the board, and has not before
//   unavailable   the server refuses the connection, or the file of the token cannot be read
//   out_of_range  n is not 1 to kLiveTopMax
Status watch(const Watched& watched);

// Carries out the order by the server that has the directory open, else in the directory. Returns
// when the change is on the disk. Fails as ask_server() and moderate() do.
Result<Answer> moderate(const std::string& directory, const Moderation& order);

Answer try_rules(const std::vector<std::string>& files);

}  // namespace laurel::tool
