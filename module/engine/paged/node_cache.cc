#include "engine/paged/node_cache.h"

#include "rank/invariant.h"

namespace laurel {

namespace {

// A list's node and the map's, with what the allocator adds.
constexpr std::size_t kCachedOverheadBytes = 112;

std::string key_of(NodeNumber number) {
  std::string key(1, 'o');
  for (int shift = 56; shift >= 0; shift -= 8) key += static_cast<char>(number >> shift);
  return key;
}

}  // namespace

PagedNode NodeCache::load(NodeNumber number) const {
  const std::optional<std::string_view> form = space_.get(reader_, key_of(number));
  must(form.has_value(), "the store has lost a node");
  return PagedNode::decode(*form, sizes_, ties_);
}

void NodeCache::measure(Cached& cached) {
  const std::size_t bytes = cached.node.bytes() + kCachedOverheadBytes;
  bytes_ += bytes - cached.bytes;
  if (cached.changed) changed_bytes_ += bytes - cached.bytes;
  cached.bytes = bytes;
}

NodeCache::Cached& NodeCache::find(NodeNumber number) {
  ++reads_.objects;
  if (const auto found = places_.find(number); found != places_.end()) {
    const Place place = found->second;
    if (!place->changed) clean_.splice(clean_.begin(), clean_, place);
    return *place;
  }
  ++reads_.loads;
  clean_.push_front({number, load(number)});
  places_.emplace(number, clean_.begin());
  measure(clean_.front());
  return clean_.front();
}

PagedNode& NodeCache::change(NodeNumber number) {
  Cached& cached = find(number);
  measure(cached);
  if (!cached.changed) {
    changed_.splice(changed_.begin(), clean_, clean_.begin());
    cached.changed = true;
    changed_bytes_ += cached.bytes;
  }
  return cached.node;
}

void NodeCache::add(NodeNumber number, PagedNode node) {
  changed_.push_front({number, std::move(node), true});
  places_.emplace(number, changed_.begin());
  measure(changed_.front());
}

PagedNode NodeCache::take(NodeNumber number) {
  find(number);
  const Place place = places_.find(number)->second;
  PagedNode node = std::move(place->node);
  remove(place);
  dropped_.push_back(number);
  return node;
}

void NodeCache::remove(Place place) {
  bytes_ -= place->bytes;
  if (place->changed) changed_bytes_ -= place->bytes;
  places_.erase(place->number);
  (place->changed ? changed_ : clean_).erase(place);
}

void NodeCache::trim() {
  while (bytes_ > sizes_.cache_bytes && !clean_.empty()) remove(std::prev(clean_.end()));
}

void NodeCache::write(Batch& batch) {
  for (const NodeNumber number : dropped_) space_.erase(batch, key_of(number));
  for (Cached& cached : changed_) {
    space_.put(batch, key_of(cached.number), cached.node.encode());
    measure(cached);
    cached.changed = false;
  }
  reads_.written += changed_.size();
  dropped_.clear();
  changed_bytes_ = 0;
  clean_.splice(clean_.begin(), changed_);
}

bool NodeCache::forget_some(std::size_t nodes) {
  dropped_.clear();
  while (nodes-- > 0 && !places_.empty()) {
    remove(clean_.empty() ? changed_.begin() : clean_.begin());
  }
  return !places_.empty();
}

const PagedNode& NodeCache::peek(NodeNumber number, std::optional<PagedNode>& loaded) const {
  const auto found = places_.find(number);
  return found != places_.end() ? found->second->node : loaded.emplace(load(number));
}

void NodeCache::check() const {
  for (const Cached& cached : clean_) {
    must(space_.get(reader_, key_of(cached.number)) == cached.node.encode(),
         "a node is called clean that is not as in the store");
  }
}

}  // namespace laurel
