#include "control/moderation_line.h"

#include <algorithm>
#include <array>

#include "base/limits.h"
#include "base/text.h"
#include "transfer/json_line.h"

namespace laurel {

namespace {

struct ModerationForm {
  Moderation::Kind kind;
  std::string_view word;
  enum class Board : std::uint8_t { none, maybe, needed } board;
  bool player;
  std::string_view value;  // the name of the member; empty: it has none
};

constexpr std::array<ModerationForm, 7> kModerationForms = {{
    {Moderation::Kind::ban, "ban", ModerationForm::Board::maybe, true, ""},
    {Moderation::Kind::unban, "unban", ModerationForm::Board::maybe, true, ""},
    {Moderation::Kind::forget, "forget", ModerationForm::Board::none, true, ""},
    {Moderation::Kind::set, "set", ModerationForm::Board::needed, true, "score"},
    {Moderation::Kind::remove, "remove", ModerationForm::Board::needed, true, ""},
    {Moderation::Kind::take_back, "void", ModerationForm::Board::needed, true, "at"},
    {Moderation::Kind::reset, "reset", ModerationForm::Board::needed, false, ""},
}};

const ModerationForm& form_of(Moderation::Kind kind) {
  return *std::ranges::find(kModerationForms, kind, &ModerationForm::kind);
}

// The line's object; null if it is none.
Json object_in(std::string_view line) {
  if (line.size() > kControlLineBytesMax) return nullptr;
  Json value = Json::parse(line.begin(), line.end(), nullptr, false);
  return value.is_object() ? value : Json(nullptr);
}

Refusal no_moderation(std::string_view why) {
  return {Code::bad_data, "the line is no order: {}", why};
}

// Takes the texts of an object's members out of it.
class Texts {
 public:
  explicit Texts(const Json& object) : object_(object) {}

  // Absent if there is no such member, or it is no text.
  std::optional<std::string> take(std::string_view member) {
    const auto found = object_.find(member);
    if (found == object_.end()) return std::nullopt;
    ++taken_;
    return text_of(*found);
  }
  bool all_taken() const { return taken_ == object_.size(); }

 private:
  const Json& object_;
  std::size_t taken_ = 0;
};

// A refusal's code, by its word.
std::optional<Code> code_with(std::string_view name) {
  for (std::size_t i = 0; i <= static_cast<std::size_t>(Code::full); ++i) {
    if (word(static_cast<Code>(i)) == name) return static_cast<Code>(i);
  }
  return std::nullopt;
}

}  // namespace

std::string_view word(Moderation::Kind kind) { return form_of(kind).word; }

Result<Moderation> read_moderation(std::string_view line) {
  const Json object = object_in(line);
  if (object.is_null()) return no_moderation("it is not one JSON object");
  Texts texts(object);
  const std::optional<std::string> name = texts.take("order");
  const auto form = std::ranges::find(kModerationForms, name.value_or(""), &ModerationForm::word);
  if (form == kModerationForms.end()) return no_moderation("it has no known \"order\"");
  Moderation order;
  order.kind = form->kind;
  if (form->board != ModerationForm::Board::none) {
    const std::optional<std::string> board = texts.take("board");
    if (!board && (form->board == ModerationForm::Board::needed || object.contains("board"))) {
      return no_moderation("it has no \"board\"");
    }
    if (board && board->empty()) return no_moderation("its \"board\" is empty");
    order.board = board.value_or("");
  }
  if (form->player) {
    std::optional<std::string> player = texts.take("player");
    if (!player) return no_moderation("it has no \"player\"");
    order.player = std::move(*player);
  }
  if (!form->value.empty()) {
    std::optional<std::string> value = texts.take(form->value);
    if (!value) return no_moderation(fmt::format("it has no \"{}\"", form->value));
    order.value = std::move(*value);
  }
  if (!texts.all_taken()) return no_moderation("it has a member that the order does not have");
  return order;
}

std::string line_of(const Moderation& order) {
  const ModerationForm& form = form_of(order.kind);
  Json object;
  object["order"] = std::string(form.word);
  if (!order.board.empty()) object["board"] = json_text(order.board);
  if (form.player) object["player"] = json_text(order.player);
  if (!form.value.empty()) object[std::string(form.value)] = json_text(order.value);
  return object.dump();
}

std::string answer_line(const Result<std::string>& done) {
  Json object;
  if (done) {
    object["done"] = json_text(*done);
  } else {
    object["refused"] = json_text(done.refusal().text());
  }
  return object.dump();
}

Result<std::string> read_answer(std::string_view line) {
  const Json object = object_in(line);
  if (!object.is_null()) {
    Texts texts(object);
    if (std::optional<std::string> done = texts.take("done")) return std::move(*done);
    const std::string refused = texts.take("refused").value_or("");
    const std::size_t colon = refused.find(": ");
    const std::optional<Code> code = code_with(refused.substr(0, colon));
    if (code && colon != std::string::npos) {
      return Refusal(*code, "{}", refused.substr(colon + 2));
    }
  }
  return Refusal(Code::bad_data, "the server's answer is not understood");
}

}  // namespace laurel
