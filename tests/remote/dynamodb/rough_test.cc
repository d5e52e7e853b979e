// Several servers on one table, over a line that throttles, fails and loses answers: nothing is
// lost and nothing is done twice.
#include <random>

#include "base/hash.h"
#include "local_engine.h"
#include "remote/dynamodb/keys.h"
#include "rough_line.h"
#include "sender.h"

namespace laurel::dynamodb {

namespace {

constexpr Time kRoughTime = 1'000'000 * kSecond;

Target open_board(Sender& sender, const std::string& name, const Fields& fields) {
  Target target{.board = name, .spec = std::make_shared<Spec>(*spec(fields).create())};
  REQUIRE(sender.get<bool>(target, request::WriteSpec{text_of(*target.spec), 0}, kRoughTime));
  return target;
}

}  // namespace

TEST_CASE("posts over a lossy line are applied once each, in order") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  const std::string url = fresh_url(*endpoint);
  Sender plain(url);
  const Target target = open_board(plain, "rough",
                                   {{"engine", "sharded"},
                                    {"of", "padded"},
                                    {"shards", 2.0},
                                    {"keep", "latest"},
                                    {"ties", "earliest"}});
  RoughLine line(*endpoint, seed);
  std::minstd_rand random(seed);
  constexpr int kServers = 2;
  constexpr int kPosts = 40;
  struct Post {
    request::Write write;
    RequestId asked = 0;
    bool done = false;
  };
  std::vector<std::unique_ptr<Sender>> servers;
  std::vector<std::vector<Post>> posts(kServers);
  std::map<std::string, double> last;  // by player; each belongs to one server
  for (std::size_t s = 0; s < kServers; ++s) {
    servers.push_back(std::make_unique<Sender>(url_through(url, line.server())));
    std::map<std::size_t, std::uint64_t> before;
    const std::uint64_t server = random_u64() >> 1;
    for (int i = 0; i < kPosts; ++i) {
      Post post;
      post.write.what.player = fmt::format("s{}p{}", s, random() % 3);
      post.write.what.score = i;
      post.write.what.at = 1000 + i;
      const std::size_t lane = lane_of(*target.spec, post.write.what.player);
      const auto number = static_cast<std::uint64_t>(i + 1);
      post.write.post = PostNumber{server, number, before[lane]};
      before[lane] = number;
      last[post.write.what.player] = i;
      posts[s].push_back(std::move(post));
    }
  }
  // Sends all at once, and those refused as unavailable again, until all are acknowledged.
  const Time until = steady_now() + 120 * kSecond;
  for (bool all_done = false; !all_done;) {
    REQUIRE(steady_now() < until);
    all_done = true;
    for (std::size_t s = 0; s < kServers; ++s) {
      for (Post& post : posts[s]) {
        if (!post.done) post.asked = servers[s]->begin(target, post.write, kRoughTime, 3 * kSecond);
      }
      for (Post& post : posts[s]) {
        if (post.done) continue;
        const Result<Value> answer = servers[s]->wait(post.asked);
        post.done = static_cast<bool>(answer);
        if (!answer) {
          CHECK(answer.refusal().code() == Code::unavailable);
          CHECK(answer.refusal().text().find("outcome") == std::string_view::npos);
        }
        all_done = all_done && post.done;
      }
    }
  }
  CHECK(line.lost + line.throttled > 0);
  for (const auto& [player, score] : last) {
    CAPTURE(player);
    CHECK(plain.get<HeldEntry>(target, request::Held{player}, kRoughTime).score == score);
  }
  CHECK(plain.get<std::uint64_t>(target, request::Size{}, kRoughTime) == last.size());
  // A repeated post does nothing.
  const auto again = plain.get<Written>(target, posts[0].front().write, kRoughTime);
  CHECK(again.again);
  request::Write ahead = posts[0].back().write;
  ahead.post->number += 2;
  ahead.post->before += 1000;
  const Result<Value> early = plain.ask(target, ahead, kRoughTime);
  REQUIRE_FALSE(early);
  CHECK(early.refusal().code() == Code::unavailable);
}

TEST_CASE("two servers that add to one player at once lose nothing, even if answers are lost") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  const std::string url = fresh_url(*endpoint);
  RoughLine line(*endpoint, seed);
  Sender one(url_through(url, line.server()));
  Sender other(url);
  const Target target = open_board(other, "sum", {{"engine", "padded"}, {"ties", "earliest"}});
  std::vector<std::pair<Sender*, RequestId>> asked;
  for (int i = 0; i < 24; ++i) {
    Sender* sender = i % 2 == 0 ? &one : &other;
    const request::Write add{.how = WriteMode::add, .what = {.player = "p", .score = 1}};
    asked.emplace_back(sender, sender->begin(target, add, kRoughTime, 40 * kSecond));
  }
  int done = 0;
  for (const auto& [sender, id] : asked) done += sender->wait(id) ? 1 : 0;
  CHECK(done == 24);
  CHECK(other.get<HeldEntry>(target, request::Held{"p"}, kRoughTime).score == 24);
  CHECK(other.get<std::uint64_t>(target, request::Size{}, kRoughTime) == 1);
}

TEST_CASE("S3-26: a season copied over a lossy line has each row once, and forgets a player once") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::uint64_t seed = std::random_device()();
  CAPTURE(seed);
  const std::string url = fresh_url(*endpoint);
  RoughLine line(*endpoint, seed);
  Sender server(url_through(url, line.server()));
  const Target target{.board = "daily",
                      .spec = std::make_shared<Spec>(*spec({{"ties", "player"}}).create()),
                      .season = 7,
                      .copy_of = kRoughTime - kDay};
  // Asks until it has succeeded, and once more, as after a lost answer.
  const auto insist = [&](const Request& what) {
    const Time until = steady_now() + 60 * kSecond;
    for (int done = 0; done < 2;) {
      REQUIRE(steady_now() < until);
      const Result<Value> answer = server.wait(server.begin(target, what, kRoughTime, 3 * kSecond));
      done += answer ? 1 : 0;
    }
  };
  const ScoreForm form(target.spec->order, target.spec->decimals);
  for (int first : {0, 60, 120}) {
    request::CopySeason what{
        .season = {.number = 7, .started = kRoughTime - kDay, .ended = kRoughTime},
        .size = 180,
        .rows = {},
        .last = first == 120};
    for (int i = first; i < first + 60; ++i) {
      what.rows.push_back({fmt::format("p{}", i), *form.key(i / 7.0), kRoughTime - i, "car"});
    }
    insist(what);
    Sender plain(url);
    CHECK(plain.get<KeptSpec>(target, request::ReadCopy{}, kRoughTime).exists == (first == 120));
  }
  insist(request::ForgetCopied{"p17"});
  CHECK(line.lost + line.throttled > 0);

  Sender plain(url);
  const Listed list = plain.get<Listed>(target, request::Page{0, 1000}, kRoughTime);
  CHECK(list.size == 179);
  REQUIRE(list.entries.size() == 179);
  CHECK(list.entries[0].player == "p179");
  CHECK(list.entries[0].score == 179 / 7.0);
  CHECK(list.entries[0].data == "car");
  CHECK(plain.get<std::optional<Standing>>(target, request::Rank{"p16", {}}, kRoughTime)->rank ==
        163);
  OtherTool tool(*endpoint, url);
  const std::string base = copy_base("daily", kRoughTime - kDay, 7);
  Json query;
  query["KeyConditionExpression"] = "PK = :pk";
  query["ExpressionAttributeValues"] = {{":pk", text_value(base)}};
  CHECK(tool.run("Query", std::move(query))["Count"] == 180);  // METADATA included
  CHECK(integer_at(tool.item(base, "METADATA"), "size") == 179);
  CHECK(tool.item(player_key("p17"), base).is_null());
  CHECK(integer_at(tool.item(player_key("p16"), base), "at") == kRoughTime - 16);
  // A player's boards do not include copies of boards.
  CHECK(
      plain.get<std::vector<Registry::ScoreOf>>({}, request::ScoresOf{"p16"}, kRoughTime).empty());
}

TEST_CASE("a follower of a board in DynamoDB is told what another server does to it") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string url = fresh_url(*endpoint);
  Sender here(url);
  Sender there(url);
  const Target target = open_board(here, "watched", {{"engine", "padded"}});
  here.remote->follow(target);
  const auto hears = [&] {
    const Time until = steady_now() + 20 * kSecond;
    while (here.changed.empty() && steady_now() < until) {
      here.take();
      poll(nullptr, 0, 2);
    }
    const bool heard = !here.changed.empty();
    here.changed.clear();
    return heard;
  };
  CHECK(hears());  // the first report comes when following begins
  const request::Write write{.what = {.player = "p", .score = 5}};
  (void)there.get<Written>(target, write, kRoughTime);
  CHECK(hears());
  (void)there.get<std::uint64_t>(target, request::Reset{}, kRoughTime);
  CHECK(hears());
}

TEST_CASE("another tool finds a board under the documented keys, and nothing of a dropped board") {
  const std::optional<std::string>& endpoint = local_engine();
  if (!endpoint) return;
  const std::string url = fresh_url(*endpoint);
  Sender sender(url);
  const Target target = open_board(sender, "season_3", {{"engine", "padded"}});
  for (const auto& [player, score] : {std::pair("bob", 9850.0), {"alice", 8420}, {"carol", 5100}}) {
    (void)sender.get<Written>(target, request::Write{.what = {.player = player, .score = score}},
                              kRoughTime);
  }
  OtherTool tool(*endpoint, url);
  const auto run = [&](const char* operation, Json arguments) {
    return tool.run(operation, std::move(arguments));
  };
  // AP3: the top 2, in one read.
  Json top;
  top["KeyConditionExpression"] = "PK = :pk AND begins_with(SK, :score)";
  top["ExpressionAttributeValues"] = {{":pk", text_value("LEADERBOARD#season_3")},
                                      {":score", text_value("SCORE#")}};
  top["ScanIndexForward"] = false;
  top["Limit"] = 2;
  const Json read = run("Query", top);
  REQUIRE(read["Items"].size() == 2);
  CHECK(text_at(read["Items"][0], "SK") == "SCORE#0000009850#bob");
  CHECK(text_at(read["Items"][1], "SK") == "SCORE#0000008420#alice");
  // AP4: a player's best; AP9: the board's metadata.
  Json best;
  best["Key"] = item_key("PLAYER#alice", "LEADERBOARD#season_3");
  CHECK(number_at(run("GetItem", best)["Item"], "score") == 8420);
  Json about;
  about["Key"] = item_key("LEADERBOARD#season_3", "METADATA");
  CHECK(text_at(run("GetItem", about)["Item"], "type") == "LEADERBOARD");

  REQUIRE(sender.get<bool>(target, request::Drop{}, kRoughTime));
  CHECK_FALSE(sender.get<KeptSpec>(target, request::ReadSpec{}, kRoughTime).exists);
  const Time until = steady_now() + 20 * kSecond;
  Json left;
  do {
    Json scan;
    scan["TableName"] = tool.table();
    left = run("Scan", scan)["Items"];
  } while (left.size() > 1 && steady_now() < until);
  REQUIRE(left.size() == 1);
  CHECK(text_at(left[0], "SK") == "DROPPED");
  const Target reopened = open_board(sender, "season_3", {{"engine", "padded"}});
  CHECK(sender.get<std::uint64_t>(reopened, request::Size{}, kRoughTime) == 0);
}

}  // namespace laurel::dynamodb
