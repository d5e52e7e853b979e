#include "skiplist.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace laurel {

namespace {

constexpr std::size_t kBucketsAtFirst = 4;

std::uint64_t hash_of(std::string_view member) { return XXH3_64bits(member.data(), member.size()); }

void* allocate(std::size_t bytes) {
  void* const memory = std::malloc(bytes);
  if (memory == nullptr) throw std::bad_alloc();
  return memory;
}

}  // namespace

struct Skiplist::Member {
  static Member* make(std::string_view bytes) {
    auto* const made = static_cast<Member*>(allocate(sizeof(Member) + bytes.size()));
    made->size = static_cast<std::uint8_t>(bytes.size());
    std::memcpy(made->bytes(), bytes.data(), bytes.size());
    return made;
  }
  char* bytes() { return reinterpret_cast<char*>(this + 1); }
  std::string_view view() { return {bytes(), size}; }

  std::uint8_t size;
};

struct Skiplist::Node {
  // The number of levels is the height of the node.
  Level* levels() { return reinterpret_cast<Level*>(this + 1); }
  const Level* levels() const { return reinterpret_cast<const Level*>(this + 1); }

  Member* member;
  double score;
  Node* backward;
};

Skiplist::Skiplist() : header_(make_node(kLevelsMax, 0, nullptr)), buckets_(kBucketsAtFirst) {}

Skiplist::~Skiplist() {
  for (DictEntry* entry : buckets_) {
    while (entry != nullptr) {
      DictEntry* const next = entry->next;
      std::free(entry->key);
      std::free(entry);
      entry = next;
    }
  }
  while (header_ != nullptr) {
    Node* const next = header_->levels()[0].forward;
    std::free(header_);
    header_ = next;
  }
}

Skiplist::Node* Skiplist::make_node(int levels, double score, Member* member) {
  const auto height = static_cast<std::size_t>(levels);
  auto* const node = static_cast<Node*>(allocate(sizeof(Node) + height * sizeof(Level)));
  *node = {member, score, nullptr};
  std::uninitialized_default_construct_n(node->levels(), height);
  return node;
}

bool Skiplist::is_before(const Node& node, double score, std::string_view member) {
  return node.score < score || (node.score == score && node.member->view() < member);
}

// A level is added with probability 1/4: two random bits.
int Skiplist::random_levels() {
  random_ ^= random_ << 13;
  random_ ^= random_ >> 7;
  random_ ^= random_ << 17;
  std::uint64_t coins = random_;
  int levels = 1;
  while ((coins & 3) == 0 && levels < kLevelsMax) {
    ++levels;
    coins >>= 2;
  }
  return levels;
}

void Skiplist::descend(double score, std::string_view member, Path& path) const {
  Node* node = header_;
  std::size_t rank = 0;
  for (int i = levels_ - 1; i >= 0; --i) {
    for (;;) {
      const Level& level = node->levels()[i];
      if (level.forward == nullptr || !is_before(*level.forward, score, member)) break;
      rank += level.span;
      node = level.forward;
    }
    path.before[i] = node;
    path.rank[i] = rank;
  }
}

Skiplist::Node* Skiplist::insert(double score, Member* member) {
  Path path;
  descend(score, member->view(), path);
  const int levels = random_levels();
  for (; levels_ < levels; ++levels_) {
    path.before[levels_] = header_;
    path.rank[levels_] = 0;
    header_->levels()[levels_] = {nullptr, length_};
  }
  Node* const node = make_node(levels, score, member);
  for (int i = 0; i < levels; ++i) {
    Level& before = path.before[i]->levels()[i];
    const std::size_t skipped = path.rank[0] - path.rank[i];
    node->levels()[i] = {before.forward, before.span - skipped};
    before = {node, skipped + 1};
  }
  for (int i = levels; i < levels_; ++i) ++path.before[i]->levels()[i].span;
  node->backward = path.before[0] == header_ ? nullptr : path.before[0];
  Node* const next = node->levels()[0].forward;
  (next != nullptr ? next->backward : tail_) = node;
  ++length_;
  return node;
}

void Skiplist::erase(Node* node, const Path& path) {
  for (int i = 0; i < levels_; ++i) {
    Level& before = path.before[i]->levels()[i];
    if (before.forward == node) {
      before.span += node->levels()[i].span - 1;
      before.forward = node->levels()[i].forward;
    } else {
      --before.span;
    }
  }
  Node* const next = node->levels()[0].forward;
  (next != nullptr ? next->backward : tail_) = node->backward;
  while (levels_ > 1 && header_->levels()[levels_ - 1].forward == nullptr) --levels_;
  --length_;
  std::free(node);
}

Skiplist::Node* Skiplist::move(double from, Member* member, double to) {
  Path path;
  descend(from, member->view(), path);
  Node* const node = path.before[0]->levels()[0].forward;
  const Node* const next = node->levels()[0].forward;
  if ((node->backward == nullptr || node->backward->score < to) &&
      (next == nullptr || next->score > to)) {
    node->score = to;
    return node;
  }
  erase(node, path);
  return insert(to, member);
}

void Skiplist::put(std::string_view member, double score) {
  if (DictEntry* const held = find(member)) {
    if (*held->score != score) held->score = &move(*held->score, held->key, score)->score;
    return;
  }
  if (length_ == buckets_.size()) grow();
  Member* const key = Member::make(member);
  DictEntry*& bucket = buckets_[hash_of(member) & (buckets_.size() - 1)];
  auto* const entry = static_cast<DictEntry*>(allocate(sizeof(DictEntry)));
  *entry = {key, &insert(score, key)->score, bucket};
  bucket = entry;
}

Skiplist::DictEntry* Skiplist::find(std::string_view member) const {
  DictEntry* entry = buckets_[hash_of(member) & (buckets_.size() - 1)];
  while (entry != nullptr && entry->key->view() != member) entry = entry->next;
  return entry;
}

void Skiplist::grow() {
  std::vector<DictEntry*> grown(buckets_.size() * 2);
  for (DictEntry* entry : buckets_) {
    while (entry != nullptr) {
      DictEntry* const next = entry->next;
      DictEntry*& bucket = grown[hash_of(entry->key->view()) & (grown.size() - 1)];
      entry->next = bucket;
      bucket = entry;
      entry = next;
    }
  }
  buckets_ = std::move(grown);
}

std::optional<double> Skiplist::score(std::string_view member) const {
  const DictEntry* const entry = find(member);
  return entry != nullptr ? std::optional(*entry->score) : std::nullopt;
}

std::optional<std::size_t> Skiplist::rank(std::string_view member) const {
  const DictEntry* const entry = find(member);
  if (entry == nullptr) return std::nullopt;
  const double score = *entry->score;
  const Node* node = header_;
  std::size_t before = 0;
  for (int i = levels_ - 1; i >= 0; --i) {
    for (;;) {
      const Level& level = node->levels()[i];
      if (level.forward == nullptr || !is_before(*level.forward, score, member)) break;
      before += level.span;
      node = level.forward;
    }
  }
  return length_ - 1 - before;
}

std::size_t Skiplist::read(std::size_t first, std::span<Entry> out) const {
  if (first >= length_) return 0;
  const Node* node = tail_;
  if (first > 0) {
    std::size_t ahead = length_ - first;  // counted from the header
    node = header_;
    for (int i = levels_ - 1; i >= 0; --i) {
      while (node->levels()[i].forward != nullptr && node->levels()[i].span <= ahead) {
        ahead -= node->levels()[i].span;
        node = node->levels()[i].forward;
      }
    }
  }
  std::size_t filled = 0;
  for (; filled < out.size() && node != nullptr; node = node->backward) {
    out[filled++] = {node->member->view(), node->score};
  }
  return filled;
}

std::size_t Skiplist::count(double low, double high) const {
  const auto scores_before = [this](const auto& is_in) {
    const Node* node = header_;
    std::size_t before = 0;
    for (int i = levels_ - 1; i >= 0; --i) {
      for (;;) {
        const Level& level = node->levels()[i];
        if (level.forward == nullptr || !is_in(level.forward->score)) break;
        before += level.span;
        node = level.forward;
      }
    }
    return before;
  };
  if (!(low <= high)) return 0;
  return scores_before([high](double score) { return score <= high; }) -
         scores_before([low](double score) { return score < low; });
}

}  // namespace laurel
