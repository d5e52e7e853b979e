// skiplist.h - the peer in the same process: a sorted set like that of Redis, a skiplist with spans
// for ranks and a dictionary from member to score, which share the member's string.
//
//   source   Redis 7.0, t_zset.c, dict.c, sds.c: levels with probability 1/4, at most 32; backward
//            pointers at the lowest; members compared if scores are equal; a chained dictionary
//            with a power of two of buckets. An update is done in place while the position stays,
//            otherwise the node is removed and another inserted.
//   unlike   Redis, in its favour: XXH3 instead of SipHash; a count descends twice and not four
//            times; nothing is parsed, and no reply is written. The dictionary grows at once.
//   order    the score, then the bytes of the member; the last is the best.
//   memory   from the C library.
//   threads  one caller at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace laurel {

class Skiplist {
 public:
  static constexpr std::size_t kMemberBytesMax = 255;

  struct Entry {
    std::string_view member;
    double score = 0;
  };

  Skiplist();
  ~Skiplist();
  Skiplist(const Skiplist&) = delete;
  Skiplist& operator=(const Skiplist&) = delete;

  std::size_t size() const { return length_; }
  // ZADD. REQUIRES: a member of 1 to kMemberBytesMax bytes.
  void put(std::string_view member, double score);
  // ZSCORE.
  std::optional<double> score(std::string_view member) const;
  // ZREVRANK: 0 is the best.
  std::optional<std::size_t> rank(std::string_view member) const;
  // ZREVRANGE WITHSCORES: fills `out` from a rank on; returns the number of entries.
  std::size_t read(std::size_t first, std::span<Entry> out) const;
  // ZCOUNT of the scores in [low, high].
  std::size_t count(double low, double high) const;

 private:
  static constexpr int kLevelsMax = 32;

  // Like an sds of Redis: one allocation, with a byte of length in front.
  struct Member;
  struct Node;
  struct Level {
    Node* forward = nullptr;
    std::size_t span = 0;
  };
  // The value points to the score in the node, as in Redis.
  struct DictEntry {
    Member* key;
    double* score;
    DictEntry* next;
  };
  // The last node of each level before a position, and the number of nodes before it.
  struct Path {
    Node* before[kLevelsMax];
    std::size_t rank[kLevelsMax];
  };

  static Node* make_node(int levels, double score, Member* member);
  static bool is_before(const Node& node, double score, std::string_view member);
  void descend(double score, std::string_view member, Path& path) const;
  Node* insert(double score, Member* member);
  // Removes the node after the path, and keeps its member.
  void erase(Node* node, const Path& path);
  Node* move(double from, Member* member, double to);
  int random_levels();

  DictEntry* find(std::string_view member) const;
  void grow();

  Node* header_;
  Node* tail_ = nullptr;
  std::size_t length_ = 0;
  int levels_ = 1;
  std::uint64_t random_ = 1;
  std::vector<DictEntry*> buckets_;
};

}  // namespace laurel
