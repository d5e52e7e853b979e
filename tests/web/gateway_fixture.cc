#include "web/gateway_fixture.h"

#include <doctest/doctest.h>
#include <fmt/core.h>

namespace laurel::test {

namespace {

ServerOptions server_with(bool wants_tokens) {
  ServerOptions options;
  if (wants_tokens) options.auth = Auth::token;
  return options;
}

}  // namespace

web::GatewayOptions options_for(std::uint16_t game_port) {
  web::GatewayOptions options;
  options.feed.channel.host = "127.0.0.1";
  options.feed.channel.port = game_port;
  options.listen = {"127.0.0.1", 0};
  options.viewers = 500;
  options.site.viewers_per_address = 50;
  return options;
}

Served::Served(web::GatewayOptions options) {
  auto opened = web::Gateway::open(std::move(options), Log([this](Level, std::string_view line) {
                                     const std::lock_guard lock(mutex_);
                                     lines_ += std::string(line) + "\n";
                                   }));
  REQUIRE_MESSAGE(opened, opened.refusal().text());
  gateway_ = std::move(*opened);
  thread_ = std::thread([this] { gateway_->run(); });
}

void Served::end() {
  gateway_->end();
  if (thread_.joinable()) thread_.join();
}

std::string Served::lines() {
  const std::lock_guard lock(mutex_);
  return lines_;
}

Visitor Served::stream(std::string_view target, std::string_view fields) const {
  Visitor visitor(port());
  visitor.get(target, fields);
  const Response head = visitor.head();
  REQUIRE_MESSAGE(head.status == 200, head.status);
  return visitor;
}

Visitor Served::websocket(std::string_view target) const {
  Visitor visitor(port());
  visitor.get(target, kUpgrade);
  const Response head = visitor.head();
  REQUIRE_MESSAGE(head.status == 101, head.status);
  return visitor;
}

double Served::metric(const std::string& name) const {
  const std::string text = "\n" + get("/metrics").body;
  const std::size_t at = text.find("\n" + name + " ");
  REQUIRE_MESSAGE(at != std::string::npos, text);
  return std::stod(text.substr(at + name.size() + 2));
}

void Served::wait_for(const std::string& board, std::size_t size) const {
  REQUIRE(holds_soon([&] {
    const Response response = get("/v1/boards?board=" + board);
    return response.status == 200 && response.json()["size"] == size;
  }));
}

Scores players(int count, double first) {
  Scores scores;
  for (int i = 0; i < count; ++i) scores.emplace_back(fmt::format("p{}", i), first - i);
  return scores;
}

GameWithBoard::GameWithBoard(const Setup& setup)
    : game(server_with(setup.wants_tokens)), data(setup.data) {
  PublishOptions published;
  published.data = !data.empty();
  board = game.publish("kills", {}, published);
  for (const auto& [player, score] : setup.scores) submit(player, score);
  if (setup.wants_tokens) folder.write("token", game.gateway_token() + "\n");
}

void GameWithBoard::submit(std::string_view player, double score) {
  std::optional<std::string_view> with;
  if (!data.empty()) with = data;
  game.submit(board, player, score, with);
}

web::GatewayOptions GameWithBoard::options(const Setup& setup) const {
  web::GatewayOptions options = options_for(game.port());
  if (setup.wants_tokens) options.feed.channel.token_file = folder / "token";
  if (setup.gateway) setup.gateway(options);
  return options;
}

ServedBoard::ServedBoard(const Setup& setup)
    : GameWithBoard(setup), Served(GameWithBoard::options(setup)) {
  wait_for("kills", setup.scores.size());
}

ProxiedBoard::ProxiedBoard(const Setup& setup)
    : GameWithBoard(setup), proxy(game.port(), 1), served([&] {
        web::GatewayOptions options = GameWithBoard::options(setup);
        options.feed.channel.port = proxy.port();
        return options;
      }()) {
  served.wait_for("kills", setup.scores.size());
}

Event event_with(Visitor& visitor, double score) {
  while (true) {
    const Event event = visitor.event();
    const Json json = event.json();
    if (json.contains("top") && !json["top"].empty() && json["top"][0]["score"] == score) {
      return event;
    }
  }
}

std::string players_in(const Json& entries) {
  std::string text;
  for (const Json& entry : entries) text += entry["player"].get<std::string>() + " ";
  return text;
}

}  // namespace laurel::test
