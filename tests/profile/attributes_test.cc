#include "profile/attributes.h"

#include "fixture.h"

namespace laurel {

namespace {

using Given = std::vector<std::pair<std::string, std::optional<std::string>>>;

AttributeChanges changes(const Given& given) {
  AttributeChanges all;
  for (const auto& [name, value] : given) {
    if (const Status added = all.add(name, value); !added) FAIL(added.refusal().text());
  }
  return all;
}

std::string refusal(std::string_view name, std::optional<std::string_view> value) {
  AttributeChanges all;
  const Status added = all.add(name, value);
  CHECK(all.text().empty() == !added);
  return added ? "ok" : std::string(added.refusal().text());
}

// "clan=reds country=DE "
std::string shown_attributes(const Fixture& game, std::string_view id) {
  std::string text;
  each_attribute(game.profiles.get(id)->attributes,
                 [&text](std::string_view name, std::string_view value) {
                   text += fmt::format("{}={} ", name, value);
                 });
  return text;
}

std::string save(Fixture& game, std::string_view id, const Given& given) {
  const AttributeChanges all = changes(given);
  const Status saved =
      game.profiles.save({.id = id, .name = {}, .email = {}, .attributes = all.text()}, game.now);
  return saved ? "ok" : std::string(saved.refusal().text());
}

}  // namespace

TEST_CASE("attributes that are given are set, absent values take them off, and others stay") {
  Fixture game;
  CHECK(save(game, "ada", {{"country", "DE"}, {"clan", "reds"}}) == "ok");
  CHECK(shown_attributes(game, "ada") == "clan=reds country=DE ");
  CHECK(save(game, "ada", {{"country", std::nullopt}, {"platform", "pc"}, {"b", std::nullopt}}) ==
        "ok");
  CHECK(shown_attributes(game, "ada") == "clan=reds platform=pc ");
  game.save({.id = "ada", .name = "Ada"});
  game.record({.player = "ada", .game = "tetris", .score = 3, .seconds = 1});
  CHECK(shown_attributes(game, "ada") == "clan=reds platform=pc ");
  CHECK(shown(game.profiles.get("ada")) == "ada Ada - 3 in 1");
  CHECK(attribute_of(game.profiles.get("ada")->attributes, "clan") == "reds");
  CHECK(attribute_of(game.profiles.get("ada")->attributes, "reds").empty());
  CHECK(save(game, "ada", {{"clan", std::nullopt}, {"platform", std::nullopt}}) == "ok");
  CHECK(shown_attributes(game, "ada").empty());
}

TEST_CASE("updated_at changes if an attribute changes, and only then") {
  Fixture game;
  CHECK(save(game, "ada", {{"clan", "reds"}}) == "ok");
  const Time changed = game.now;
  game.now += kSecond;
  CHECK(save(game, "ada", {{"clan", "reds"}, {"country", std::nullopt}}) == "ok");
  CHECK(game.profiles.get("ada")->updated_at == changed);
  CHECK(save(game, "ada", {{"clan", "blues"}}) == "ok");
  CHECK(game.profiles.get("ada")->updated_at == game.now);
}

TEST_CASE("names of attributes have 1 to 64 bytes, values 1 to 255, both without a zero byte") {
  CHECK(refusal(std::string(64, 'n'), std::string(255, 'v')) == "ok");
  CHECK(refusal(std::string(64, 'n'), std::nullopt) == "ok");
  CHECK(refusal("", "v") ==
        "bad_data: an attribute's name has 1 to 64 bytes and no zero byte; \"\" has 0");
  CHECK(refusal(std::string(65, 'n'), std::nullopt).starts_with("bad_data: "));
  CHECK(refusal(std::string_view("a\0b", 3), "v").starts_with("bad_data: "));
  CHECK(refusal("clan", "") ==
        "bad_data: an attribute's value has 1 to 255 bytes and no zero byte; that of \"clan\" is "
        "\"\", 0 bytes");
  CHECK(refusal("clan", std::string(256, 'v')).starts_with("bad_data: "));
  CHECK(refusal("clan", std::string_view("\0", 1)).starts_with("bad_data: "));
}

TEST_CASE("a player has at most 16 attributes, and more are refused as a whole") {
  Fixture game;
  Given most;
  for (int i = 0; i < 16; ++i) most.emplace_back(std::string(60, 'a') + std::to_string(i), "v");
  CHECK(save(game, "ada", most) == "ok");
  CHECK(save(game, "ada", {{"one more", "v"}, {most[0].first, "w"}}) ==
        "bad_data: a player has at most 16 attributes; these are 17");
  CHECK(attribute_of(game.profiles.get("ada")->attributes, most[0].first) == "v");
  CHECK(save(game, "ada", {{"one more", "v"}, {most[0].first, std::nullopt}}) == "ok");
  CHECK(save(game, "bea", {{"clan", "x"}}) == "ok");
  for (auto& [name, value] : most) value = std::string(255, 'v');
  CHECK(save(game, "cleo", most) == "ok");
  AttributeChanges all = changes(most);
  for (int i = 0; i < 16; ++i) CHECK(all.add(std::to_string(i), std::nullopt));
  CHECK(all.add("x", "y").refusal().text() ==
        "bad_data: at most 32 attributes are changed at once");
}

TEST_CASE("attributes move with the player, and are forgotten with the player") {
  Fixture game;
  CHECK(save(game, "guest", {{"clan", "reds"}}) == "ok");
  CHECK(game.profiles.rename("guest", "ada"));
  CHECK(shown_attributes(game, "ada") == "clan=reds ");
  CHECK(game.profiles.forget("ada"));
  game.save({.id = "ada"});
  CHECK(shown_attributes(game, "ada").empty());
}

TEST_CASE("a profile without attributes is stored as before there were any") {
  Fixture game;
  game.save({.id = "ada", .name = "Ada"});
  const auto stored = [&game] {
    return std::string(*Space(*game.store, 1).get(std::string("PLAYER#ada\0PROFILE", 18)));
  };
  const std::string before = stored();
  CHECK(before[0] == 1);
  CHECK(save(game, "ada", {{"clan", "reds"}}) == "ok");
  CHECK(stored()[0] == 2);
  game.now -= kSecond;
  CHECK(save(game, "ada", {{"clan", std::nullopt}}) == "ok");
  CHECK(stored() == before);
}

}  // namespace laurel
