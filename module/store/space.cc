#include "store/space.h"

#include <cassert>

#include "base/bytes.h"

namespace laurel {

namespace {

constexpr char kSpaceLetter = 's';

// Iterates over the range of one prefix in a cursor of the store, and removes the prefix from keys.
class SpaceCursor final : public Cursor {
 public:
  SpaceCursor(std::unique_ptr<Cursor> inner, std::string prefix)
      : inner_(std::move(inner)), prefix_(std::move(prefix)) {}

  bool seek(std::string_view key) override {
    return settle(inner_->seek(prefix_ + std::string(key)));
  }
  bool seek_before(std::string_view key) override {
    return settle(inner_->seek_before(prefix_ + std::string(key)));
  }
  bool next() override { return settle(inner_->next()); }
  bool previous() override { return settle(inner_->previous()); }
  std::string_view key() const override { return inner_->key().substr(prefix_.size()); }
  std::string_view value() const override { return inner_->value(); }

 private:
  bool settle(bool stands) const { return stands && inner_->key().starts_with(prefix_); }

  std::unique_ptr<Cursor> inner_;
  std::string prefix_;
};

// Reserves room for `more` bytes of key.
std::string prefix_of(SpaceNumber number, std::size_t more = 0) {
  std::string prefix;
  prefix.reserve(Space::kPrefixBytes + more);
  prefix.push_back(kSpaceLetter);
  prefix.append(sortable(number));
  assert(prefix.size() == Space::kPrefixBytes);
  return prefix;
}

}  // namespace

std::vector<SpaceNumber> Space::numbers(const Reader& reader) {
  std::vector<SpaceNumber> numbers;
  const std::unique_ptr<Cursor> at = reader.cursor();
  for (bool on = at->seek({&kSpaceLetter, 1}); on && at->key().front() == kSpaceLetter;
       on = at->seek(prefix_of(numbers.back() + 1))) {
    numbers.push_back(number_of_sortable(at->key().substr(1, kSortableBytes)));
  }
  return numbers;
}

std::optional<SpaceNumber> Space::number_of(std::string_view key) {
  if (key.size() < kPrefixBytes || key.front() != kSpaceLetter) return std::nullopt;
  return number_of_sortable(key.substr(1, kSortableBytes));
}

std::string Space::whole(std::string_view key) const {
  return prefix_of(number_, key.size()).append(key);
}

std::optional<std::string_view> Space::get(std::string_view key) const { return get(store_, key); }

std::optional<std::string_view> Space::get(const Reader& reader, std::string_view key) const {
  return reader.get(whole(key));
}

std::unique_ptr<Cursor> Space::cursor() const { return cursor(store_); }

std::unique_ptr<Cursor> Space::cursor(const Reader& reader) const {
  return std::make_unique<SpaceCursor>(reader.cursor(), prefix_of(number_));
}

void Space::put(Batch& batch, std::string_view key, std::string_view value) const {
  batch.put(whole(key), value);
}

void Space::erase(Batch& batch, std::string_view key) const { batch.erase(whole(key)); }

std::unique_ptr<WriteBuffer> Space::open_buffer() const {
  return store_.open_buffer(prefix_of(number_));
}

bool Space::erase_some(std::size_t entries) { return erase_some({}, entries); }

bool Space::erase_some(std::string_view prefix, std::size_t entries) {
  return store_.erase_some(whole(prefix), entries);
}

}  // namespace laurel
