#include "board/board_codec.h"

#include <bit>
#include <variant>

#include "base/bytes.h"
#include "board/spec/spec_change.h"

namespace laurel {

namespace {

enum class FieldKind : std::uint8_t { text, number, truth };

class FormWriter {
 public:
  void number(std::uint64_t number) { writer_.u64(number); }
  void time(Time time) { writer_.u64(std::bit_cast<std::uint64_t>(time)); }
  void time(const std::optional<Time>& given) {
    writer_.u8(given ? 1 : 0);
    if (given) time(*given);
  }
  void truth(bool truth) { writer_.u8(truth ? 1 : 0); }
  void text(std::string_view text) {
    writer_.leb(text.size());
    writer_.bytes(text);
  }
  void season(const SeasonForm& form) {
    number(form.season.number);
    time(form.season.started);
    time(form.season.ended);
    number(form.engine);
    spec(form.spec);
  }
  std::string take() { return std::move(form_); }

 private:
  void spec(const Spec& spec) {
    each_stored_field(spec, [this](std::string_view field, const FieldValue& value) {
      text(field);
      if (const auto* words = std::get_if<std::string_view>(&value)) {
        kind(FieldKind::text);
        text(*words);
      } else if (const auto* number = std::get_if<double>(&value)) {
        kind(FieldKind::number);
        writer_.f64(*number);
      } else {
        kind(FieldKind::truth);
        truth(std::get<bool>(value));
      }
    });
    text("");  // an empty name ends the list
  }
  void kind(FieldKind kind) { writer_.u8(static_cast<std::uint8_t>(kind)); }

  std::string form_;
  ByteWriter writer_{form_, ByteWriter::kAnySize};
};

class FormReader {
 public:
  explicit FormReader(std::string_view form) : reader_(form) {}

  std::uint64_t number() { return reader_.u64(); }
  Time time() { return std::bit_cast<Time>(reader_.u64()); }
  std::optional<Time> optional_time() {
    if (!truth()) return std::nullopt;
    return time();
  }
  bool truth() { return reader_.u8() != 0; }
  std::string_view text() { return reader_.bytes(reader_.leb(kStoreValueBytesMax)); }
  SeasonForm season() {
    SeasonForm form;
    form.season.number = number();
    form.season.started = time();
    form.season.ended = optional_time();
    form.engine = number();
    form.spec = spec();
    return form;
  }

  Status status() const {
    if (refusal_) return *refusal_;
    if (reader_.ok() && reader_.at_end()) return Done{};
    return Refusal(Code::bad_data, "the row of a board cannot be decoded");
  }

 private:
  Spec spec() {
    SpecChange change;
    for (std::string_view field = text(); !field.empty() && reader_.ok(); field = text()) {
      const Status taken = change.set(field, value());
      if (!taken && !refusal_) refusal_ = Refusal(Code::bad_data, "{}", taken.refusal().message());
    }
    Result<Spec> spec = change.create();
    if (spec) return std::move(*spec);
    if (!refusal_) refusal_ = Refusal(Code::bad_data, "{}", spec.refusal().message());
    return {};
  }
  FieldValue value() {
    switch (static_cast<FieldKind>(reader_.u8())) {
      case FieldKind::text: return text();
      case FieldKind::number: return reader_.f64();
      case FieldKind::truth: return truth();
    }
    reader_.fail();
    return false;
  }

  ByteReader reader_;
  std::optional<Refusal> refusal_;
};

}  // namespace

std::string pack_season(const SeasonForm& season) {
  FormWriter writer;
  writer.season(season);
  return writer.take();
}

Result<SeasonForm> unpack_season(std::string_view form) {
  FormReader reader(form);
  SeasonForm season = reader.season();
  if (const Status whole = reader.status(); !whole) return whole.refusal();
  return season;
}

std::string pack_board(const BoardForm& board) {
  FormWriter writer;
  writer.text(board.name);
  writer.time(board.created);
  writer.time(board.due);
  writer.truth(board.written);
  writer.time(board.turned);
  writer.season(board.running);
  return writer.take();
}

Result<BoardForm> unpack_board(std::string_view form) {
  FormReader reader(form);
  BoardForm board;
  board.name = reader.text();
  board.created = reader.time();
  board.due = reader.optional_time();
  board.written = reader.truth();
  board.turned = reader.optional_time();
  board.running = reader.season();
  if (const Status whole = reader.status(); !whole) return whole.refusal();
  return board;
}

std::string pack_season_end(const SeasonEnd& end) {
  FormWriter writer;
  writer.text(end.id);
  writer.number(end.number);
  for (const std::string& name : end.names) writer.text(name);
  writer.text("");  // an empty name ends the list
  return writer.take();
}

Result<SeasonEnd> unpack_season_end(std::string_view form) {
  FormReader reader(form);
  SeasonEnd end;
  end.id = reader.text();
  end.number = reader.number();
  for (std::string_view name = reader.text(); !name.empty(); name = reader.text()) {
    end.names.emplace_back(name);
  }
  if (const Status whole = reader.status(); !whole) return whole.refusal();
  return end;
}

}  // namespace laurel
