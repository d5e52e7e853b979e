#include "board/results/kept_result.h"

#include <bit>
#include <cassert>
#include <cstring>

#include "base/limits.h"

namespace laurel {

namespace {

static_assert(std::endian::native == std::endian::little, "numbers in values are little-endian");

// The first byte.
constexpr unsigned kByMask = 3;
constexpr unsigned kHasData = 4;
constexpr unsigned kHasBefore = 8;
constexpr unsigned kBeforeHasData = 16;
constexpr unsigned kHasVersion = 32;
constexpr unsigned kHasDifferences = 64;
constexpr unsigned kAllBits = 127;

template <typename Number>
char* put_number(char* at, Number number) {
  std::memcpy(at, &number, sizeof number);
  return at + sizeof number;
}

// Text after its size.
template <typename Size>
char* put_text(char* at, std::string_view text) {
  at = put_number(at, static_cast<Size>(text.size()));
  if (!text.empty()) std::memcpy(at, text.data(), text.size());
  return at + text.size();
}

// Reads fields in their order; after one that is cut off all are zero.
class ResultFields {
 public:
  explicit ResultFields(std::string_view rest) : rest_(rest) {}

  template <typename Number>
  Number take() {
    Number number = 0;
    const std::string_view bytes = take(sizeof number);
    if (!bytes.empty()) std::memcpy(&number, bytes.data(), sizeof number);
    return number;
  }
  template <typename Size>
  std::string_view take_text(std::size_t most) {
    const std::size_t size = take<Size>();
    whole_ = whole_ && size <= most;
    return take(size);
  }
  bool ended_well() const { return whole_ && rest_.empty(); }

 private:
  std::string_view take(std::size_t size) {
    whole_ = whole_ && size <= rest_.size();
    if (!whole_) return {};
    const std::string_view taken = rest_.substr(0, size);
    rest_.remove_prefix(size);
    return taken;
  }

  std::string_view rest_;
  bool whole_ = true;
};

std::optional<std::string> owned_text(const std::optional<std::string_view>& text) {
  return text ? std::optional<std::string>(*text) : std::nullopt;
}

std::optional<std::string_view> viewed_text(const std::optional<std::string>& text) {
  return text ? std::optional<std::string_view>(*text) : std::nullopt;
}

static_assert(kResultRowBytesMax <= kStoreValueBytesMax && kRuleVersionBytesMax <= 0xFF);

constexpr std::size_t kNumberAt = 1;  // behind the first byte

}  // namespace

void append_result(const ResultRow& row, std::string& bytes) {
  assert(row.rule_version.size() <= kRuleVersionBytesMax);
  const bool before_has_data = row.before && row.before->data;
  unsigned bits = static_cast<unsigned>(row.by);
  std::size_t size = 1 + sizeof row.number + sizeof row.score + sizeof row.at;
  if (row.data) {
    bits |= kHasData;
    size += 2 + row.data->size();
  }
  if (row.before) {
    bits |= kHasBefore;
    size += sizeof row.score + sizeof row.at;
  }
  if (before_has_data) {
    bits |= kBeforeHasData;
    size += 2 + row.before->data->size();
  }
  if (!row.rule_version.empty()) {
    bits |= kHasVersion;
    size += 1 + row.rule_version.size();
  }
  if (row.differences) {
    bits |= kHasDifferences;
    size += 1 + row.differences->count * sizeof(double);
  }
  bytes.resize(bytes.size() + size);
  char* at = bytes.data() + bytes.size() - size;
  at = put_number(at, static_cast<std::uint8_t>(bits));
  at = put_number(at, row.number);
  at = put_number(at, row.score);
  at = put_number(at, row.at);
  if (row.data) at = put_text<std::uint16_t>(at, *row.data);
  if (row.before) {
    at = put_number(at, row.before->score);
    at = put_number(at, row.before->at);
  }
  if (before_has_data) at = put_text<std::uint16_t>(at, *row.before->data);
  if (!row.rule_version.empty()) at = put_text<std::uint8_t>(at, row.rule_version);
  if (!row.differences) return;
  at = put_number(at, static_cast<std::uint8_t>(row.differences->count));
  for (const double value : row.differences->all()) at = put_number(at, value);
}

std::uint32_t result_number(std::string_view packed) {
  std::uint32_t number = 0;
  assert(packed.size() >= kNumberAt + sizeof number);
  std::memcpy(&number, packed.data() + kNumberAt, sizeof number);
  return number;
}

void append_result(std::string_view packed, std::uint32_t number, std::string& bytes) {
  const std::size_t begin = bytes.size();
  bytes.append(packed);
  std::memcpy(bytes.data() + begin + kNumberAt, &number, sizeof number);
}

std::optional<ResultRow> unpack_result(std::string_view packed) {
  ResultFields fields(packed);
  const auto bits = fields.take<std::uint8_t>();
  if ((bits & ~kAllBits) != 0) return std::nullopt;
  std::optional<ResultRow> row(std::in_place);
  row->by = static_cast<ResultBy>(bits & kByMask);
  row->number = fields.take<std::uint32_t>();
  row->score = fields.take<ScoreKey>();
  row->at = fields.take<Time>();
  if ((bits & kHasData) != 0) row->data = fields.take_text<std::uint16_t>(kDataBytesMax);
  if ((bits & kHasBefore) != 0) {
    EngineRow& before = row->before.emplace();
    before.score = fields.take<ScoreKey>();
    before.at = fields.take<Time>();
    if ((bits & kBeforeHasData) != 0) {
      before.data = fields.take_text<std::uint16_t>(kDataBytesMax);
    }
  }
  if ((bits & kHasVersion) != 0) {
    row->rule_version = fields.take_text<std::uint8_t>(kRuleVersionBytesMax);
  }
  if ((bits & kHasDifferences) != 0) {
    ColumnValues& values = row->differences.emplace(ColumnValues{.values = {}, .count = 0});
    values.count = fields.take<std::uint8_t>();
    if (values.count > kColumnsMax) return std::nullopt;
    for (std::size_t i = 0; i < values.count; ++i) values.values[i] = fields.take<double>();
  }
  if (!fields.ended_well()) return std::nullopt;
  return row;
}

HeldState held_state(const EngineRow& row) { return {row.score, row.at, owned_text(row.data)}; }

EngineRow row_of(const HeldState& held) {
  return {{}, held.score, held.at, viewed_text(held.data)};
}

KeptResult kept_result(const ResultRow& row) {
  KeptResult kept{.number = row.number,
                  .by = row.by,
                  .score = row.score,
                  .at = row.at,
                  .data = owned_text(row.data),
                  .before = std::nullopt,
                  .rule_version = std::string(row.rule_version),
                  .differences = row.differences};
  if (row.before) kept.before = held_state(*row.before);
  return kept;
}

ResultRow row_of(const KeptResult& result) {
  ResultRow row{.number = result.number,
                .by = result.by,
                .score = result.score,
                .at = result.at,
                .data = viewed_text(result.data),
                .before = std::nullopt,
                .rule_version = result.rule_version,
                .differences = result.differences};
  if (result.before) row.before = row_of(*result.before);
  return row;
}

}  // namespace laurel
