#include "live/server/published_list.h"

#include <utility>

#include "live/limits.h"

namespace laurel {

namespace {
constexpr std::size_t kMessagesKept = 64;  // clients that hold older versions are few
}

void PublishedList::describe_anew(Boards::iterator entry) {
  Listed& listed = entry->second;
  changes_.erase(listed.described_at);
  gone_.erase(listed.described_at);
  changes_.erase(std::exchange(listed.sized_at, 0));
  listed.described_at = ++version_;
  changes_.emplace(version_, entry);
  if (listed.gone) gone_.insert(version_);
  encoded_.clear();
}

void PublishedList::resize(Boards::iterator entry, std::uint64_t size) {
  Listed& listed = entry->second;
  listed.size = size;
  changes_.erase(listed.sized_at);
  listed.sized_at = ++version_;
  changes_.emplace(version_, entry);
  encoded_.clear();
}

void PublishedList::describe(const std::string& board, const BoardDescription& description) {
  std::string bytes = encode_description(description);
  const auto [entry, is_new] = boards_.try_emplace(board);
  Listed& listed = entry->second;
  if (!is_new && !listed.gone && listed.description == bytes) return;
  listed.gone = false;
  listed.description = std::move(bytes);
  describe_anew(entry);
}

void PublishedList::set_size(const std::string& board, std::uint64_t size) {
  const auto entry = boards_.find(board);
  if (entry == boards_.end() || entry->second.gone) return;
  if (!entry->second.size) {
    resize(entry, size);
  } else if (entry->second.size == size) {
    resized_.erase(board);
  } else {
    resized_[board] = size;
  }
}

void PublishedList::remove(const std::string& board) {
  const auto entry = boards_.find(board);
  if (entry == boards_.end() || entry->second.gone) return;
  Listed& listed = entry->second;
  listed.gone = true;
  listed.size.reset();
  listed.description.clear();
  resized_.erase(board);
  describe_anew(entry);
  forget_oldest();
}

void PublishedList::forget_oldest() {
  if (gone_.size() <= kLiveBoardsMax) return;
  forgotten_ = *gone_.begin();
  const auto oldest = changes_.find(forgotten_);
  boards_.erase(oldest->second);
  changes_.erase(oldest);
  gone_.erase(gone_.begin());
}

void PublishedList::tick(Time now) {
  if (resized_.empty() || (sized_at_ && now - *sized_at_ < kLiveSizesEvery)) return;
  sized_at_ = now;
  for (const auto& [board, size] : resized_) {
    resize(boards_.find(board), size);
  }
  resized_.clear();
}

MessagePtr PublishedList::message(std::uint64_t epoch, std::uint64_t version,
                                  std::uint64_t& encodings) {
  const bool goes_on = epoch == epoch_ && version >= forgotten_ && version < version_;
  const std::uint64_t from = goes_on ? version : 0;
  if (const auto known = encoded_.find(from); known != encoded_.end()) return known->second;
  if (encoded_.size() >= kMessagesKept) encoded_.clear();
  ++encodings;
  return encoded_[from] = encode(from);
}

MessagePtr PublishedList::encode(std::uint64_t from) const {
  std::string items;
  BoardList list;
  list.epoch = epoch_;
  list.from = from;
  list.to = list.newest = version_;
  std::uint64_t reached = from;
  for (auto each = changes_.upper_bound(from); each != changes_.end(); ++each) {
    const auto& [board, listed] = *each->second;
    const std::size_t before = items.size();
    if (listed.gone) {
      if (from != 0) write_gone(items, board);
    } else if (listed.described_at == each->first) {
      write_described(items, board, listed.size.value_or(0), listed.description);
    } else if (listed.described_at <= from) {  // else the description has told the size
      write_size(items, board, listed.size.value_or(0));
    }
    if (items.size() > kLiveListBytesMax && before > 0) {
      items.resize(before);
      list.to = reached;
      break;
    }
    reached = each->first;
  }
  list.items = items;
  return std::make_shared<const std::string>(laurel::encode(ServerMessage(list)));
}

}  // namespace laurel
