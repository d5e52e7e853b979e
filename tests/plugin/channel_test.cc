// The C interface's live.h: columns, rank changes, lists of boards, and gateways.
#include <algorithm>
#include <cmath>
#include <string>
#include <unistd.h>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "laurel/live.h"
#include "laurel/marks.h"
#include "plugin/host_fixture.h"

using laurel::test::api;
using laurel::test::Host;

namespace {

const laurel_live_api& channel() {
  REQUIRE(api().live != nullptr);
  return *api().live;
}

// A text that a callback writes, and a server's boards and a client that are ticked until it
// has come.
struct Stage {
  Host host;
  laurel_live* live = nullptr;
  laurel_client* client = nullptr;

  explicit Stage(laurel_auth auth = LAUREL_AUTH_USUAL) {
    laurel_serve_config config{};
    config.struct_size = sizeof config;
    config.auth = auth;
    config.rate = 200;
    live = api().serve(host.boards, &config, &host.error);
    REQUIRE(live != nullptr);
  }
  ~Stage() { api().client_close(client); }

  void connect(const char* token = nullptr) {
    laurel_connect_config config{};
    config.struct_size = sizeof config;
    config.port = api().live_port(live);
    config.token = token;
    client = api().connect(&config, &host.error);
    REQUIRE(client != nullptr);
  }
  bool reaches(const std::string& text, const std::string& wanted) {
    for (int i = 0; i < 10'000 && text != wanted; ++i) {
      api().tick(host.boards);
      api().client_tick(client);
      usleep(1000);  // lets the live thread run; the text ends the loop
    }
    CHECK(text == wanted);
    return text == wanted;
  }
};

void show_window(void* context, const laurel_live_window* window) {
  auto& text = *static_cast<std::string*>(context);
  if (window->refusal != nullptr) {
    text = std::string(window->refusal).substr(0, 12);
    return;
  }
  text = fmt::format("{}{}{}:", window->board, window->player == nullptr ? "" : " around ",
                     window->player == nullptr ? "" : window->player);
  for (size_t i = 0; i < window->count; ++i) {
    const auto* const entry = reinterpret_cast<const laurel_live_entry*>(
        reinterpret_cast<const char*>(window->entries) + i * window->entry_size);
    text += fmt::format(" {} {}", entry->rank, std::string(entry->player, entry->player_size));
    for (size_t k = 0; k < std::max<size_t>(window->column_count, 1); ++k) {
      text += fmt::format(" {}", entry->score[k]);
    }
    if (!std::isnan(entry->rank_change)) text += fmt::format(" climbed {}", entry->rank_change);
    if (entry->data != nullptr) text.append(" ").append(entry->data, entry->data_size);
    CHECK(entry->has_at == 1);
  }
}

void show_boards(void* context, const laurel_listed_board* boards, size_t count, size_t board_size,
                 const char* refusal) {
  auto& text = *static_cast<std::string*>(context);
  CHECK(board_size == sizeof(laurel_listed_board));
  text = refusal == nullptr ? "" : refusal;
  for (size_t i = 0; i < count; ++i) {
    const laurel_listed_board& board = boards[i];
    text += fmt::format("{} {} {} {} season {} size {}", board.board, board.is_desc, board.decimals,
                        board.ranking, board.season, board.size);
    for (size_t k = 0; k < board.column_count; ++k) {
      text += fmt::format(" {}", board.columns[k].name);
    }
    if (board.meta != nullptr) text.append(" ").append(board.meta, board.meta_size);
    text += "; ";
  }
}

void show_player(void* context, const char* player, const char* refusal) {
  *static_cast<std::string*>(context) = player == nullptr ? refusal : player;
}

}  // namespace

TEST_CASE("a host's client gets columns, and a list of the published boards") {
  Stage stage;
  Host& host = stage.host;
  const laurel_board race =
      host.board("race", {{"columns", "laps, seconds asc 3 0 100000", 0}, {"meta", "Cup", 0}});
  const double values[] = {12, 53.21};
  REQUIRE(api().columns->submit(host.boards, race, LAUREL_BY_SUBMIT, "ada", values, 2, nullptr,
                                nullptr, &host.error) == LAUREL_OK);
  REQUIRE(channel().publish(stage.live, race, nullptr, &host.error) == LAUREL_OK);
  stage.connect();
  std::string shown, listed, now;
  REQUIRE(channel().subscribe(stage.client, "race", 10, show_window, &shown, nullptr) == LAUREL_OK);
  REQUIRE(channel().on_boards(stage.client, show_boards, &listed, nullptr) == LAUREL_OK);
  channel().boards(stage.client, show_boards, &now);
  CHECK(now.empty());
  CHECK(stage.reaches(shown, "race: 1 ada 12 53.21"));
  const std::string board = "race 1 -1 competition season 1 size 1 laps seconds Cup; ";
  CHECK(stage.reaches(listed, board));
  channel().boards(stage.client, show_boards, &now);
  CHECK(now == board);
  CHECK(channel().player(stage.client) == nullptr);
  CHECK(channel().on_boards(stage.client, nullptr, nullptr, nullptr) == LAUREL_INVALID);
  CHECK(channel().subscribe(stage.client, nullptr, 1, show_window, nullptr, nullptr) ==
        LAUREL_INVALID);
}

TEST_CASE("rank changes and data come where a board is published with them") {
  Stage stage;
  Host& host = stage.host;
  const laurel_board board = host.board("season");
  host.submit(board, "ada", 2);
  host.submit(board, "bob", 1);
  REQUIRE(api().marks->mark(host.boards, board, nullptr, &host.error) == LAUREL_OK);
  host.submit(board, "bob", 3);
  laurel_publish_config config{};
  config.struct_size = sizeof config;
  config.top = 1;
  REQUIRE(channel().publish(stage.live, board, &config, &host.error) == LAUREL_OK);
  stage.connect();
  std::string shown;
  REQUIRE(channel().subscribe(stage.client, "season", 10, show_window, &shown, nullptr) ==
          LAUREL_OK);
  CHECK(stage.reaches(shown, "season: 1 bob 3"));
  config.changes = 1;
  REQUIRE(channel().publish(stage.live, board, &config, &host.error) == LAUREL_OK);
  CHECK(stage.reaches(shown, "season: 1 bob 3 climbed 1"));
  config.top = 101;
  CHECK(channel().publish(stage.live, board, &config, &host.error) == LAUREL_INVALID);
}

TEST_CASE("tokens have the server's key if the server requires them, and not if clear is set") {
  Stage stage(LAUREL_AUTH_TOKEN);
  Host& host = stage.host;
  const laurel_board board = host.board("season");
  for (const char* player : {"ada", "bob"}) host.submit(board, player, 1);
  REQUIRE(channel().publish(stage.live, board, nullptr, &host.error) == LAUREL_OK);
  char token[LAUREL_LIVE_TOKEN_SIZE], other[LAUREL_LIVE_TOKEN_SIZE];
  char gateway[LAUREL_GATEWAY_TOKEN_SIZE];
  laurel_token_config config{};
  config.struct_size = sizeof config;
  REQUIRE(channel().token(stage.live, "ada", 60, nullptr, token, &host.error) == LAUREL_OK);
  REQUIRE(channel().token(stage.live, "ada", 60, &config, other, &host.error) == LAUREL_OK);
  REQUIRE(channel().gateway_token(stage.live, 60, &config, gateway, &host.error) == LAUREL_OK);
  CHECK(std::string(token).size() == 104);
  CHECK(std::string(gateway).size() == 112);
  CHECK(std::string(token).substr(40) == std::string(other).substr(40));
  CHECK(std::string(token).substr(40) == std::string(gateway).substr(48));
  config.clear = 1;
  REQUIRE(channel().token(stage.live, "ada", 60, &config, other, &host.error) == LAUREL_OK);
  REQUIRE(channel().gateway_token(stage.live, 60, &config, gateway, &host.error) == LAUREL_OK);
  CHECK(std::string(other).size() == 40);
  CHECK(std::string(gateway).size() == 48);
  config.uses = 1'000'001;
  CHECK(channel().token(stage.live, "ada", 60, &config, other, &host.error) == LAUREL_OUT_OF_RANGE);
  CHECK(channel().token(stage.live, "", 60, nullptr, other, &host.error) == LAUREL_BAD_PLAYER);

  stage.connect(token);
  std::string around;
  REQUIRE(channel().follow(stage.client, "season", 0, nullptr, show_window, &around, nullptr) ==
          LAUREL_OK);
  CHECK(stage.reaches(around, "season: 1 ada 1"));
}

TEST_CASE("a gateway follows any player and asks whose a token is, until its token is revoked") {
  Stage stage;
  Host& host = stage.host;
  const laurel_board board = host.board("season");
  for (const char* player : {"ada", "bob"}) host.submit(board, player, 1);
  REQUIRE(channel().publish(stage.live, board, nullptr, &host.error) == LAUREL_OK);
  char token[LAUREL_GATEWAY_TOKEN_SIZE], players[LAUREL_TOKEN_SIZE];
  CHECK(channel().gateway_token(stage.live, -1, nullptr, token, &host.error) ==
        LAUREL_OUT_OF_RANGE);
  REQUIRE(channel().gateway_token(stage.live, 0, nullptr, token, &host.error) == LAUREL_OK);
  REQUIRE(api().token(stage.live, "ada", 60, 1, players, &host.error) == LAUREL_OK);
  stage.connect(token);
  std::string around, whose, unknown;
  REQUIRE(channel().follow(stage.client, "season", 0, "bob", show_window, &around, nullptr) ==
          LAUREL_OK);
  REQUIRE(channel().player_of(stage.client, players, show_player, &whose, nullptr) == LAUREL_OK);
  REQUIRE(channel().player_of(stage.client, "x", show_player, &unknown, nullptr) == LAUREL_OK);
  CHECK(stage.reaches(around, "season around bob: 1 bob 1"));
  CHECK(stage.reaches(whose, "ada"));
  CHECK(stage.reaches(unknown, "unknown: the server knows no such token"));
  CHECK(channel().player_of(stage.client, "", show_player, nullptr, nullptr) ==
        LAUREL_OUT_OF_RANGE);
  CHECK(channel().follow(stage.client, "season", 0, "", show_window, nullptr, nullptr) ==
        LAUREL_BAD_PLAYER);
  channel().unfollow(stage.client, "season", "bob");
  CHECK(channel().revoke_gateway_token(stage.live, players, &host.error) == LAUREL_UNKNOWN);
  CHECK(channel().revoke_gateway_token(stage.live, token, &host.error) == LAUREL_OK);
  CHECK(channel().revoke_gateway_token(stage.live, token, &host.error) == LAUREL_UNKNOWN);
}
