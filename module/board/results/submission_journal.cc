#include "board/results/submission_journal.h"

#include <utility>

namespace laurel {

void SubmissionJournal::note(JournalRecord record) {
  if (blocks_.empty() || blocks_.back()->size() == kBlockRecords) {
    auto block = std::make_shared<Block>();
    block->reserve(kBlockRecords);
    blocks_.push_back(std::move(block));
  }
  blocks_.back()->push_back(std::move(record));
  ++size_;
  trim();
}

void SubmissionJournal::resize(std::size_t most) {
  most_ = most;
  trim();
}

void SubmissionJournal::trim() {
  while (size_ > most_) {
    --size_;
    if (++first_ < kBlockRecords) continue;
    first_ = 0;
    blocks_.pop_front();
  }
}

template <typename Visit>
void SubmissionJournal::each_of(std::string_view player, Visit visit) {
  for (const auto& block : blocks_) {
    for (JournalRecord& record : *block) {
      if (record.player == player) visit(record);
    }
  }
}

void SubmissionJournal::forget(std::string_view player) {
  each_of(player, [](JournalRecord& record) { record = {}; });
}

void SubmissionJournal::rename(std::string_view from, std::string_view to) {
  each_of(from, [to](JournalRecord& record) { record.player = to; });
}

SubmissionJournal::Excerpt SubmissionJournal::excerpt() const {
  Excerpt excerpt;
  excerpt.blocks_.assign(blocks_.begin(), blocks_.end());
  excerpt.next_ = first_;
  excerpt.left_ = size_;
  return excerpt;
}

std::size_t SubmissionJournal::bytes() const {
  std::size_t bytes = sizeof *this + blocks_.size() * kBlockRecords * sizeof(JournalRecord);
  for (const auto& block : blocks_) {
    for (const JournalRecord& record : *block) {
      for (const std::string* text : {&record.player, &record.refusal}) {
        if (text->capacity() > 15) bytes += text->capacity();
      }
    }
  }
  return bytes;
}

const JournalRecord* SubmissionJournal::Excerpt::next() {
  while (left_ > 0) {
    if (next_ == kBlockRecords) {
      ++block_;
      next_ = 0;
    }
    const JournalRecord& record = (*blocks_[block_])[next_++];
    --left_;
    if (!record.player.empty()) return &record;
  }
  return nullptr;
}

}  // namespace laurel
