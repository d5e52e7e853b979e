#include "posted.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <utility>

#include "board/oracle.h"

namespace laurel {

namespace {

constexpr std::size_t kInDoubtMax = 12;  // per player: all subsets are tried

std::string text_of(const FieldValue& value) {
  if (const auto* const words = std::get_if<std::string_view>(&value)) {
    return fmt::format("\"{}\"", *words);
  }
  if (const auto* const number = std::get_if<double>(&value)) return fmt::format("{}", *number);
  return std::get<bool>(value) ? "true" : "false";
}

// The oracle adds doubles, which is exact except for decimals.
double rounded(const Spec& spec, double score) {
  if (!spec.decimals) return score;
  const double scale = std::pow(10.0, *spec.decimals);
  return std::round(score * scale) / scale;
}

using Outcomes = std::set<std::optional<double>>;

// The scores that a player may have: one for each subset of the posts in doubt.
Outcomes outcomes_of(const Spec& spec, const std::vector<Posted>& posts) {
  std::size_t in_doubt = 0;
  for (const Posted& post : posts) in_doubt += post.sure ? 0 : 1;
  REQUIRE(in_doubt <= kInDoubtMax);
  Outcomes outcomes;
  for (unsigned counted = 0; counted < 1U << in_doubt; ++counted) {
    Oracle oracle(spec);
    Time at = 0;
    unsigned bit = 1;
    for (const Posted& post : posts) {
      const bool counts = post.sure || (counted & std::exchange(bit, bit << 1)) != 0;
      if (counts) oracle.submit(post.player, post.score, ++at, std::nullopt, false);
    }
    const Oracle::Line* const line = posts.empty() ? nullptr : oracle.find(posts.front().player);
    outcomes.insert(line == nullptr ? std::nullopt : std::optional(rounded(spec, line->score)));
  }
  return outcomes;
}

std::string text_of(const Outcomes& outcomes) {
  std::string text;
  for (const std::optional<double>& each : outcomes) {
    text += (text.empty() ? "" : " or ") + (each ? fmt::format("{}", *each) : "nothing");
  }
  return text;
}

// Checks that order and ranks follow from the scores.
std::string wrong_order(const Spec& spec, const std::vector<ShownEntry>& shown) {
  Oracle oracle(spec);
  for (const ShownEntry& entry : shown) oracle.hold(entry.player, entry.score, 0, std::nullopt);
  const std::vector<Oracle::Line> lines = oracle.sorted();
  if (lines.size() != shown.size()) return "somebody is listed twice\n";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    const std::uint64_t rank = naive_rank(lines, i, spec.ranking).whole();
    if (shown[i].player == lines[i].player && shown[i].rank == rank) continue;
    return fmt::format("at position {} is {} ranked {}, and should be {} ranked {}\n", i + 1,
                       shown[i].player, shown[i].rank, lines[i].player, rank);
  }
  return {};
}

}  // namespace

std::vector<Posted> read_posted(const std::string& notes) {
  std::ifstream file(notes);
  std::vector<Posted> posts;
  bool is_open = false;  // the last post has no result yet
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string word;
    words >> word;
    if (word == "post") {
      std::string score;
      Posted& post = posts.emplace_back();
      words >> post.board >> post.player >> score;
      post.score = std::strtod(score.c_str(), nullptr);
      is_open = true;
    } else if (word == "kept" || word == "refused") {
      REQUIRE(is_open);
      if (word == "kept") {
        posts.back().sure = true;
      } else {
        posts.pop_back();
      }
      is_open = false;
    } else {
      is_open = false;  // the server was restarted
    }
  }
  return posts;
}

std::string SharedBoard::opening() const {
  std::string text = fmt::format("open(\"{}\", {{ ", name);
  for (const auto& [field, value] : fields) text += fmt::format("{} = {}, ", field, text_of(value));
  return text + "remote = \"main\" })";
}

std::string SharedBoard::playing() const {
  return fmt::format("{{ \"{}\", own = {}, low = {}, high = {}, parts = {} }}", name, own, low,
                     high, parts);
}

std::string wrong_with(const SharedBoard& board, const std::vector<Posted>& posted,
                       const std::vector<ShownEntry>& shown, const std::set<std::string>& banned) {
  const Spec spec = board.spec();
  std::map<std::string, std::vector<Posted>> posts;
  for (const Posted& post : posted) {
    if (post.board == board.name) posts[post.player].push_back(post);
  }
  std::map<std::string, double> scores;
  std::string wrong;
  for (const ShownEntry& entry : shown) {
    scores[entry.player] = entry.score;
    if (!posts.contains(entry.player)) wrong += fmt::format("nobody posted {}\n", entry.player);
  }
  for (const auto& [player, own] : posts) {
    const auto found = scores.find(player);
    const auto score = found == scores.end() ? std::nullopt : std::optional(found->second);
    const Outcomes outcomes =
        banned.contains(player) ? Outcomes{std::nullopt} : outcomes_of(spec, own);
    if (outcomes.contains(score)) continue;
    wrong += fmt::format("{} has {}, and should have {}, of {} posts\n", player,
                         text_of(Outcomes{score}), text_of(outcomes), own.size());
  }
  return wrong + wrong_order(spec, shown);
}

}  // namespace laurel
