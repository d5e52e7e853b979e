#include "engine/paged/change_buffer.h"

#include <algorithm>
#include <vector>

#include "base/bytes.h"
#include "base/invariant.h"
#include "engine/row_codec.h"

namespace laurel {

namespace {

constexpr char kNoteLetter = 'l';
constexpr std::string_view kFirstKey = "g";
constexpr std::size_t kPrefixBytes = 9;  // of a key: the letter and the generation

std::string prefix_of(ChangeBuffer::Generation generation) {
  return kNoteLetter + sortable(generation);
}

ChangeBuffer::Generation generation_of(std::string_view key) {
  return number_of_sortable(key.substr(1, kSortableBytes));
}

std::string note_key(ChangeBuffer::Generation generation, std::string_view player) {
  return prefix_of(generation).append(player);
}

bool is_note(const Cursor& at) { return at.key()[0] == kNoteLetter; }

}  // namespace

ChangeBuffer::ChangeBuffer(const Space& space, const Reader& reader)
    : space_(space), reader_(reader) {
  if (const std::optional<std::string_view> form = space_.get(reader, kFirstKey)) {
    first_ = ByteReader(*form).u64();
  }
  generation_ = first_;
}

bool ChangeBuffer::has(std::string_view player) const { return has(generation_, player); }

bool ChangeBuffer::has(Generation generation, std::string_view player) const {
  return space_.get(reader_, note_key(generation, player)).has_value();
}

void ChangeBuffer::add(Batch& batch, std::string_view player, const std::optional<EngineRow>& row) {
  space_.put(batch, note_key(generation_, player), row ? pack_row(*row) : std::string());
  ++count_;
  ++count_present_;
}

void ChangeBuffer::load(const Visit& visit) {
  const std::unique_ptr<Cursor> at = space_.cursor(reader_);
  erased_ = first_;
  if (at->seek({&kNoteLetter, 1}) && is_note(*at))
    erased_ = std::min(generation_of(at->key()), first_);
  std::vector<Generation> earlier;
  for (bool on = at->seek(prefix_of(first_)); on && is_note(*at); on = at->next()) {
    const Generation generation = generation_of(at->key());
    if (generation != generation_) {
      if (count_present_ > 0) earlier.push_back(generation_);
      count_present_ = 0;
      generation_ = generation;
    }
    ++count_;
    ++count_present_;
    const std::string_view player = at->key().substr(kPrefixBytes);
    if (std::any_of(earlier.begin(), earlier.end(),
                    [&](Generation before) { return has(before, player); })) {
      continue;
    }
    std::optional<EngineRow> row;
    if (!at->value().empty()) row = unpack_row(at->value());
    if (row) row->player = player;
    visit(player, row);
  }
}

void ChangeBuffer::begin_generation() {
  if (count_present_ == 0) return;  // an empty generation can be used as it is
  ++generation_;
  count_present_ = 0;
}

void ChangeBuffer::retire(Batch& batch) {
  first_ = generation_;
  count_ = count_present_;
  std::string form;
  ByteWriter(form, sizeof first_).u64(first_);
  space_.put(batch, kFirstKey, form);
}

void ChangeBuffer::erase_some(std::size_t notes) {
  if (erased_ == first_) return;
  if (!space_.erase_some(prefix_of(erased_), notes)) ++erased_;
}

void ChangeBuffer::check() const {
  std::size_t notes = 0;
  const std::unique_ptr<Cursor> at = space_.cursor(reader_);
  for (bool on = at->seek(prefix_of(first_)); on && is_note(*at); on = at->next()) ++notes;
  must(notes == count_, "notes are miscounted");
}

}  // namespace laurel
