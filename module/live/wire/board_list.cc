#include "live/wire/board_list.h"

#include "base/bytes.h"
#include "base/limits.h"
#include "live/limits.h"
#include "live/wire/fields.h"

namespace laurel {

namespace {

enum class Form : std::uint8_t { gone = 0, size = 1, described = 2 };

constexpr std::uint8_t kRankingMax = static_cast<std::uint8_t>(Ranking::fractional);
static_assert(kRankingMax == 4, "the numbers of the rankings are part of the protocol");

// Above the longest item.
constexpr std::size_t kItemBytesMax = 2 * kBoardNameBytesMax + kMetaBytesMax + 512;

template <typename Write>
void append(std::string& out, Write write) {
  ByteWriter writer(out, out.size() + kItemBytesMax);
  write(writer);
}

void write_head(ByteWriter& out, std::string_view board, Form form) {
  write_text(out, board);
  out.u8(static_cast<std::uint8_t>(form));
}

BoardDescription read_description(ByteReader& in) {
  BoardDescription description;
  description.order = read_flag(in) ? Order::asc : Order::desc;
  const std::uint8_t decimals_and_one = in.u8();
  if (decimals_and_one > kDecimalsMax + 1) in.fail();
  if (decimals_and_one > 0) description.decimals = decimals_and_one - 1;
  description.columns = read_columns(in);
  const std::uint8_t ranking = in.u8();
  if (ranking > kRankingMax) in.fail();
  description.ranking = static_cast<Ranking>(ranking);
  if (const auto meta = read_optional(in, 0, kMetaBytesMax)) description.meta = *meta;
  description.season = in.leb(kLiveNumberMax);
  description.resets_at = read_optional_time(in);
  description.closes_at = read_optional_time(in);
  return description;
}

}  // namespace

bool operator==(const BoardDescription& a, const BoardDescription& b) {
  return a.order == b.order && a.decimals == b.decimals &&
         same_columns(a.columns.get(), b.columns.get()) && a.ranking == b.ranking &&
         a.meta == b.meta && a.season == b.season && a.resets_at == b.resets_at &&
         a.closes_at == b.closes_at;
}

void write_gone(std::string& out, std::string_view board) {
  append(out, [&](ByteWriter& writer) { write_head(writer, board, Form::gone); });
}

void write_size(std::string& out, std::string_view board, std::uint64_t size) {
  append(out, [&](ByteWriter& writer) {
    write_head(writer, board, Form::size);
    writer.leb(size);
  });
}

void write_described(std::string& out, std::string_view board, std::uint64_t size,
                     std::string_view description) {
  append(out, [&](ByteWriter& writer) {
    write_head(writer, board, Form::described);
    writer.leb(size);
    writer.bytes(description);
  });
}

std::string encode_description(const BoardDescription& description) {
  std::string bytes;
  append(bytes, [&](ByteWriter& out) {
    out.u8(description.order == Order::asc ? 1 : 0);
    out.u8(static_cast<std::uint8_t>(description.decimals ? *description.decimals + 1 : 0));
    write_columns(out, description.columns.get());
    out.u8(static_cast<std::uint8_t>(description.ranking));
    write_optional(out, std::optional<std::string_view>(description.meta));
    out.leb(description.season);
    write_optional(out, description.resets_at);
    write_optional(out, description.closes_at);
  });
  return bytes;
}

std::optional<std::vector<BoardListItem>> read_items(std::string_view bytes) {
  std::vector<BoardListItem> items;
  ByteReader in(bytes);
  while (in.ok() && !in.at_end()) {
    BoardListItem& item = items.emplace_back();
    item.board = read_board(in);
    const auto form = static_cast<Form>(in.u8());
    if (form > Form::described) in.fail();
    if (form == Form::gone) continue;
    item.size = in.leb(kLiveNumberMax);
    if (form == Form::described) item.description = read_description(in);
  }
  if (!in.ok()) return std::nullopt;
  return items;
}

}  // namespace laurel
