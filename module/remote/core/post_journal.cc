#include "remote/core/post_journal.h"

#include <algorithm>
#include <bit>
#include <utility>

#include "base/bytes.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/text.h"
#include "board/spec/spec_change.h"
#include "remote/limits.h"
#include "remote/request/spec_codec.h"

namespace laurel {

namespace {

constexpr std::uint8_t kHasData = 1;
constexpr std::uint8_t kHasMoment = 2;
constexpr std::uint8_t kHasId = 4;
constexpr std::uint8_t kHasColumns = 8;

void write_text(ByteWriter& writer, std::string_view text) {
  writer.leb(text.size());
  writer.bytes(text);
}

std::string read_text(ByteReader& reader) {
  return std::string(reader.bytes(reader.leb(kStoreValueBytesMax)));
}

void write_columns(ByteWriter& writer, const ColumnValues& columns) {
  writer.u8(static_cast<std::uint8_t>(columns.count));
  for (const double value : columns.all()) writer.f64(value);
}

ColumnValues read_columns(ByteReader& reader) {
  ColumnValues columns{.values = {}, .count = reader.u8()};
  if (columns.count > kColumnsMax) reader.fail();
  if (!reader.ok()) columns.count = 0;
  for (std::size_t i = 0; i < columns.count; ++i) columns.values[i] = reader.f64();
  return columns;
}

}  // namespace

PostKind kind_of(const Post& post) { return static_cast<PostKind>(post.row.front()); }

std::string pack_post(const PostForm& form) {
  std::string row;
  ByteWriter writer(row, ByteWriter::kAnySize);
  writer.u8(static_cast<std::uint8_t>(form.kind));
  writer.u64(form.server);
  writer.u64(std::bit_cast<std::uint64_t>(form.posted));
  write_text(writer, form.board);
  write_text(writer, form.what.player);
  writer.f64(form.what.score);
  const OwnedSubmission& what = form.what;
  writer.u8(static_cast<std::uint8_t>((what.data ? kHasData : 0) | (what.at ? kHasMoment : 0) |
                                      (what.id ? kHasId : 0) | (what.columns ? kHasColumns : 0)));
  if (what.data) write_text(writer, *what.data);
  if (what.at) writer.f64(*what.at);
  if (what.id) write_text(writer, *what.id);
  if (what.columns) write_columns(writer, *what.columns);
  return row;
}

std::optional<PostForm> unpack_post(std::string_view row) {
  ByteReader reader(row);
  PostForm form;
  form.kind = static_cast<PostKind>(reader.u8());
  form.server = reader.u64();
  form.posted = std::bit_cast<Time>(reader.u64());
  form.board = read_text(reader);
  form.what.player = read_text(reader);
  form.what.score = reader.f64();
  const std::uint8_t has = reader.u8();
  if ((has & kHasData) != 0) form.what.data = read_text(reader);
  if ((has & kHasMoment) != 0) form.what.at = reader.f64();
  if ((has & kHasId) != 0) form.what.id = read_text(reader);
  if ((has & kHasColumns) != 0) form.what.columns = read_columns(reader);
  if (!reader.ok() || !reader.at_end() || form.kind > PostKind::forget) return std::nullopt;
  return form;
}

std::map<std::string, std::vector<Post>> Journal::load() {
  server_ = random_u64();
  std::map<std::string, std::vector<Post>> posts;
  std::size_t damaged = 0;
  rows().each([&](std::string_view key, std::string_view row) {
    last_ = std::max(last_, number_of_sortable(key));
    ++pending_;
    if (const std::optional<PostForm> form = unpack_post(row)) {
      posts[form->board].push_back({number_of_sortable(key), std::string(row), false});
    } else {
      ++damaged;
    }
  });
  if (damaged > 0) {
    requests_.registry().log().error(
        "{} posts in the store are damaged; they are kept, and not sent", damaged);
  }
  return posts;
}

Result<Post> Journal::keep(const std::string& board, PostKind kind, OwnedSubmission what) {
  Registry& registry = requests_.registry();
  if (kind == PostKind::submit && pending_ >= kPostsMax) {
    return Refusal(Code::unavailable, "{} posts wait for their remotes, the most allowed",
                   kPostsMax);
  }
  if (!registry.writable()) {
    return Refusal(Code::unavailable, "the post cannot be saved: the disk accepts no writes now");
  }
  if (!what.at) what.at = seconds_from_time(registry.next_timestamp());
  Post post{++last_, pack_post({board, server_, registry.now(), kind, std::move(what)}), false};
  rows().put(sortable(post.number), post.row);
  ++pending_;
  return post;
}

void Journal::done(const Post& post) {
  rows().erase(sortable(post.number));
  --pending_;
}

void Journal::refused(const std::string& board, const Post& post, const Refusal& refusal) {
  const Time now = requests_.steady();
  if (now - lines_since_ >= kSecond) {
    if (unsaid_ > 0) {
      requests_.registry().log().warn("posts: {} more were refused", std::exchange(unsaid_, 0));
    }
    lines_since_ = now;
    lines_ = 0;
  }
  if (++lines_ > kPostLinesPerSecond) {
    ++unsaid_;
    return;
  }
  const std::optional<PostForm> form = unpack_post(post.row);
  requests_.registry().log().warn("board \"{}\": a post for player \"{}\" was refused: {}",
                                  escaped(board, 64), escaped(form ? form->what.player : "", 64),
                                  refusal.text());
}

void Journal::keep_board(const std::string& board, const std::string& remote,
                         const SpecChange& change) {
  std::string row;
  ByteWriter writer(row, ByteWriter::kAnySize);
  write_text(writer, remote);
  change.each_given([&](std::string_view field, const FieldValue& value) {
    write_text(writer, field);
    writer.u8(static_cast<std::uint8_t>(value.index()));
    if (const auto* words = std::get_if<std::string_view>(&value)) {
      write_text(writer, *words);
    } else if (const auto* number = std::get_if<double>(&value)) {
      writer.f64(*number);
    }
  });
  board_rows().put(board, row);
}

void Journal::forget_board(const std::string& board) { board_rows().erase(board); }

std::map<std::string, Journal::KeptBoard> Journal::load_boards() const {
  std::map<std::string, KeptBoard> boards;
  board_rows().each([&](std::string_view name, std::string_view row) {
    KeptBoard& board = boards[std::string(name)];
    ByteReader reader(row);
    board.remote = read_text(reader);
    while (reader.ok() && !reader.at_end()) {
      const std::string field = read_text(reader);
      const std::uint8_t kind = reader.u8();
      std::string words;
      FieldValue value = false;
      if (kind == FieldValue(std::string_view()).index()) {
        words = read_text(reader);
        value = std::string_view(words);
      } else if (kind == FieldValue(0.0).index()) {
        value = reader.f64();
      }
      // A field of another version is left out.
      if (reader.ok()) (void)board.change.set(field, value);
    }
  });
  return boards;
}

}  // namespace laurel
