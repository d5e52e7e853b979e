#include "engine/paged/node_cache.h"

#include <cassert>

#include "base/bytes.h"
#include "base/invariant.h"

namespace laurel {

namespace {

// A node of the list and one of the map, with the allocator's overhead.
constexpr std::size_t kCachedOverheadBytes = 112;

constexpr std::size_t kNodeKeyBytes = Space::kPrefixBytes + 1 + sizeof(NodeNumber);

std::string node_key(NodeNumber number) { return 'o' + sortable(number); }

}  // namespace

PagedNode NodeCache::load(NodeNumber number) const {
  const std::optional<std::string_view> form = space_.get(reader_, node_key(number));
  must(form.has_value(), "the store has lost a node");
  return PagedNode::decode(*form, sizes_, ties_);
}

void NodeCache::measure(Cached& cached) {
  const std::size_t bytes = cached.node.bytes() + kCachedOverheadBytes;
  bytes_ += bytes - cached.bytes;
  if (cached.state == State::changed) changed_bytes_ += bytes - cached.bytes;
  cached.bytes = bytes;
}

void NodeCache::move(Place place, State state) {
  if (place->state == State::changed) changed_bytes_ -= place->bytes;
  if (state == State::changed) changed_bytes_ += place->bytes;
  nodes(state).splice(nodes(state).begin(), nodes(place->state), place);
  place->state = state;
}

NodeCache::Place NodeCache::find(NodeNumber number) {
  ++reads_.objects;
  if (const auto found = places_.find(number); found != places_.end()) {
    const Place place = found->second;
    if (place->state == State::clean) move(place, State::clean);
    return place;
  }
  ++reads_.loads;
  std::list<Cached> loaded;  // if memory ends on the way, the cache stays as it is
  loaded.push_front({number, load(number)});
  places_.emplace(number, loaded.begin());
  std::list<Cached>& clean = nodes(State::clean);
  clean.splice(clean.begin(), loaded);
  measure(clean.front());
  return clean.begin();
}

PagedNode& NodeCache::change(NodeNumber number) {
  const Place place = find(number);
  measure(*place);
  if (place->state == State::awaited) encode(place);
  if (place->state != State::changed) move(place, State::changed);
  return place->node;
}

void NodeCache::add(NodeNumber number, PagedNode node) {
  std::list<Cached>& changed = nodes(State::changed);
  changed.push_front({number, std::move(node), State::changed});
  places_.emplace(number, changed.begin());
  measure(changed.front());
}

PagedNode NodeCache::take(NodeNumber number) {
  change(number);
  const Place place = places_.find(number)->second;
  PagedNode node = std::move(place->node);
  remove(place);
  dropped_.push_back(number);
  return node;
}

void NodeCache::remove(Place place) {
  bytes_ -= place->bytes;
  if (place->state == State::changed) changed_bytes_ -= place->bytes;
  places_.erase(place->number);
  nodes(place->state).erase(place);
}

void NodeCache::trim() {
  std::list<Cached>& clean = nodes(State::clean);
  while (bytes_ > sizes_.cache_bytes && !clean.empty()) remove(std::prev(clean.end()));
}

void NodeCache::begin_write(Batch& batch) {
  assert(batch_ == nullptr && "a write is at work");
  batch_ = &batch;
  std::list<Cached>& changed = nodes(State::changed);
  constexpr std::size_t kRestBytes = 4096;  // what the batch's owner may add
  const std::size_t writes = changed.size() + dropped_.size();
  batch.reserve(writes, changed_bytes_ + writes * kNodeKeyBytes + kRestBytes);
  for (const NodeNumber number : dropped_) space_.erase(batch, node_key(number));
  dropped_.clear();
  for (Cached& cached : changed) cached.state = State::awaited;
  nodes(State::awaited).splice(nodes(State::awaited).begin(), changed);
  changed_bytes_ = 0;
}

void NodeCache::encode(Place place) {
  space_.put(*batch_, node_key(place->number), place->node.encode());
  ++reads_.written;
  measure(*place);
  move(place, State::encoded);
}

bool NodeCache::write_some(std::size_t count) {
  std::list<Cached>& awaited = nodes(State::awaited);
  for (; count > 0 && !awaited.empty(); --count) encode(awaited.begin());
  return !awaited.empty();
}

void NodeCache::end_write() {
  assert(nodes(State::awaited).empty() && "the batch has not all nodes");
  std::list<Cached>& encoded = nodes(State::encoded);
  for (Cached& cached : encoded) cached.state = State::clean;
  nodes(State::clean).splice(nodes(State::clean).begin(), encoded);
  batch_ = nullptr;
}

bool NodeCache::forget_some(std::size_t count) {
  dropped_.clear();
  for (std::list<Cached>& list : nodes_) {
    for (; count > 0 && !list.empty(); --count) remove(list.begin());
  }
  return !places_.empty();
}

const PagedNode& NodeCache::peek(NodeNumber number, std::optional<PagedNode>& loaded) const {
  const auto found = places_.find(number);
  return found != places_.end() ? found->second->node : loaded.emplace(load(number));
}

void NodeCache::check() const {
  for (const Cached& cached : nodes_[static_cast<std::size_t>(State::clean)]) {
    must(space_.get(reader_, node_key(cached.number)) == cached.node.encode(),
         "a node is called clean that is not as in the store");
  }
}

}  // namespace laurel
