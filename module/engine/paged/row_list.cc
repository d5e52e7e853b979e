#include "engine/paged/row_list.h"

#include <algorithm>
#include <cassert>
#include <span>

#include "engine/paged/columns.h"

namespace laurel {

namespace {

constexpr std::size_t kIdSizeBytes = 1;
constexpr std::size_t kDataSizeBytes = 2;

std::size_t byte_at(const char* at) { return static_cast<unsigned char>(*at); }

std::size_t id_size(const char* text) { return byte_at(text); }

// 0: no data; otherwise the data's size plus one.
std::size_t data_mark(const char* text) {
  const char* mark = text + kIdSizeBytes + id_size(text);
  return byte_at(mark) | byte_at(mark + 1) << 8U;
}

std::size_t text_size(const char* text) {
  const std::size_t mark = data_mark(text);
  return kIdSizeBytes + id_size(text) + kDataSizeBytes + (mark > 0 ? mark - 1 : 0);
}

std::string_view id_of(const char* text) { return {text + kIdSizeBytes, id_size(text)}; }

// Grows by a sixteenth: doubling would leave a third of the cache unused, and moving a list costs
// about as much as an insertion.
template <typename List>
void make_room(List& list, std::size_t items) {
  const std::size_t wanted = list.size() + items;
  if (wanted > list.capacity()) list.reserve(wanted + wanted / 16);
}

template <typename Number>
typename std::vector<Number>::iterator at(std::vector<Number>& numbers, std::size_t slot) {
  return numbers.begin() + static_cast<std::ptrdiff_t>(slot);
}

}  // namespace

std::size_t RowList::form_bytes(const EngineRow& row) {
  return kNumberBytes + kIdSizeBytes + row.player.size() + kDataSizeBytes +
         (row.data ? row.data->size() : 0);
}

std::string_view RowList::text(std::size_t slot) const {
  const char* begin = text_.data() + texts_[slot];
  return {begin, text_size(begin)};
}

EngineRow RowList::operator[](std::size_t slot) const {
  const char* begin = text_.data() + texts_[slot];
  EngineRow row{.player = id_of(begin), .score = scores_[slot], .at = moments_[slot], .data = {}};
  if (const std::size_t mark = data_mark(begin); mark > 0) {
    row.data =
        std::string_view(begin + kIdSizeBytes + row.player.size() + kDataSizeBytes, mark - 1);
  }
  return row;
}

bool RowList::stands_before(std::size_t slot, const EngineRow& place, Ties ties) const {
  if (scores_[slot] != place.score) return scores_[slot] < place.score;
  if (ties == Ties::earliest && moments_[slot] != place.at) return moments_[slot] < place.at;
  if (ties == Ties::latest && moments_[slot] != place.at) return moments_[slot] > place.at;
  const int compared = id_of(text_.data() + texts_[slot]).compare(place.player);
  return ties == Ties::player_desc ? compared > 0 : compared < 0;
}

// Most searches are decided by the scores alone, which are contiguous.
std::size_t RowList::count_before(const EngineRow& place, Ties ties) const {
  std::size_t low = count_better(place.score);
  if (low == size() || scores_[low] != place.score) return low;
  std::size_t high = count_not_worse(place.score);
  while (low < high) {
    const std::size_t middle = (low + high) / 2;
    if (stands_before(middle, place, ties)) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

std::size_t RowList::count_better(ScoreKey score) const {
  return static_cast<std::size_t>(std::lower_bound(scores_.begin(), scores_.end(), score) -
                                  scores_.begin());
}

std::size_t RowList::count_not_worse(ScoreKey score) const {
  return static_cast<std::size_t>(std::upper_bound(scores_.begin(), scores_.end(), score) -
                                  scores_.begin());
}

bool RowList::in_order(Ties ties) const {
  for (std::size_t slot = 1; slot < size(); ++slot) {
    if (!stands_before(slot - 1, (*this)[slot], ties)) return false;
  }
  return true;
}

std::uint32_t RowList::add_text(const EngineRow& row) {
  assert(!row.player.empty() && row.player.size() <= kPlayerBytesMax);
  assert(!row.data || row.data->size() <= kDataBytesMax);
  const std::size_t begin = text_.size();
  const std::size_t mark = row.data ? row.data->size() + 1 : 0;
  make_room(text_, form_bytes(row) - kNumberBytes);
  text_.push_back(static_cast<char>(row.player.size()));
  text_.insert(text_.end(), row.player.begin(), row.player.end());
  text_.push_back(static_cast<char>(mark));
  text_.push_back(static_cast<char>(mark >> 8U));
  if (row.data) text_.insert(text_.end(), row.data->begin(), row.data->end());
  return static_cast<std::uint32_t>(begin);
}

// Copies a row's text from another list.
std::uint32_t RowList::add_text(std::string_view text) {
  const std::size_t begin = text_.size();
  text_.insert(text_.end(), text.begin(), text.end());
  return static_cast<std::uint32_t>(begin);
}

void RowList::drop_text(std::size_t slot) { garbage_ += text(slot).size(); }

void RowList::gather_texts() {
  if (garbage_ * 8 <= text_.size()) return;
  std::vector<char> gathered;
  gathered.reserve(text_.size() - garbage_);
  for (std::size_t slot = 0; slot < size(); ++slot) {
    const std::string_view own = text(slot);
    texts_[slot] = static_cast<std::uint32_t>(gathered.size());
    gathered.insert(gathered.end(), own.begin(), own.end());
  }
  text_ = std::move(gathered);
  garbage_ = 0;
}

void RowList::insert(std::size_t slot, const EngineRow& row) {
  make_room(scores_, 1);
  make_room(moments_, 1);
  make_room(texts_, 1);
  scores_.insert(at(scores_, slot), row.score);
  moments_.insert(at(moments_, slot), row.at);
  texts_.insert(at(texts_, slot), add_text(row));
}

void RowList::set(std::size_t slot, const EngineRow& row) {
  drop_text(slot);
  scores_[slot] = row.score;
  moments_[slot] = row.at;
  texts_[slot] = add_text(row);
  gather_texts();
}

void RowList::erase(std::size_t slot) {
  drop_text(slot);
  scores_.erase(at(scores_, slot));
  moments_.erase(at(moments_, slot));
  texts_.erase(at(texts_, slot));
  gather_texts();
}

RowList RowList::split_off(std::size_t slot) {
  RowList tail;
  tail.scores_.assign(at(scores_, slot), scores_.end());
  tail.moments_.assign(at(moments_, slot), moments_.end());
  for (std::size_t i = slot; i < size(); ++i) tail.texts_.push_back(tail.add_text(text(i)));
  garbage_ += tail.text_.size();
  scores_.resize(slot);
  moments_.resize(slot);
  texts_.resize(slot);
  gather_texts();
  shrink();
  tail.shrink();
  return tail;
}

// After a split neither half keeps the capacity for the whole.
void RowList::shrink() {
  scores_.shrink_to_fit();
  moments_.shrink_to_fit();
  texts_.shrink_to_fit();
  text_.shrink_to_fit();
}

void RowList::append(const RowList& other) {
  scores_.insert(scores_.end(), other.scores_.begin(), other.scores_.end());
  moments_.insert(moments_.end(), other.moments_.begin(), other.moments_.end());
  for (std::size_t slot = 0; slot < other.size(); ++slot) {
    texts_.push_back(add_text(other.text(slot)));
  }
}

void RowList::encode(ByteWriter& writer) const {
  writer.u32(static_cast<std::uint32_t>(size()));
  writer.u32(static_cast<std::uint32_t>(text_.size() - garbage_));
  write_column(writer, std::span<const ScoreKey>(scores_));
  write_column(writer, std::span<const Time>(moments_));
  for (std::size_t slot = 0; slot < size(); ++slot) writer.bytes(text(slot));
}

RowList RowList::decode(ByteReader& reader) {
  RowList list;
  const std::size_t rows = reader.u32();
  const std::size_t text_bytes = reader.u32();
  if (rows * kNumberBytes + text_bytes > reader.remaining()) reader.fail();
  if (!reader.ok()) return list;
  list.scores_.resize(rows);
  list.moments_.resize(rows);
  list.texts_.resize(rows);
  read_column(reader, std::span(list.scores_));
  read_column(reader, std::span(list.moments_));
  const std::string_view texts = reader.bytes(text_bytes);
  list.text_.assign(texts.begin(), texts.end());
  std::size_t begin = 0;
  for (std::uint32_t& text : list.texts_) {
    text = static_cast<std::uint32_t>(begin);
    begin += text_size(list.text_.data() + begin);
  }
  assert(begin == text_bytes && "the texts are not those of the rows");
  return list;
}

std::size_t RowList::bytes() const {
  return scores_.capacity() * sizeof(ScoreKey) + moments_.capacity() * sizeof(Time) +
         texts_.capacity() * sizeof(std::uint32_t) + text_.capacity();
}

}  // namespace laurel
