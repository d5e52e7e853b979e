// disk_peers.h - other ways to store rows on a disk: LMDB as a program would use it, and SQLite,
// with rows of the same size as the durable store's for a ranked board.
//
//   write     one transaction, which is on the disk on return, as far as the peer promises that.
//   failure   throws.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

namespace laurel {

struct DiskRow {
  static constexpr std::size_t kPrefixBytes = 9;
  static constexpr int kBytes = 21;

  DiskRow(std::string_view player, std::uint64_t score);

  std::array<char, kBytes> key{};
  std::array<char, kBytes> value{};
};

class DiskPeer {
 public:
  virtual ~DiskPeer() = default;
  virtual void write(std::span<const DiskRow> rows) = 0;
};

std::unique_ptr<DiskPeer> make_lmdb_peer(const std::string& file);

// FULL waits for the disk at each transaction, NORMAL only at checkpoints.
enum class SqliteSync { full, normal };
class SqlitePeer : public DiskPeer {
 public:
  virtual void sync(SqliteSync how) = 0;
};
// With a write-ahead log, and 64 MB of cache. Null if this was built without SQLite.
std::unique_ptr<SqlitePeer> make_sqlite_peer(const std::string& file);

}  // namespace laurel
