// laurel - the command line for operators: laurel(1).
//
//   status  0: done. 1: it was refused, or something was found; standard error says what. 2: the
//           words make no sense.
#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <functional>
#include <iostream>
#include <new>
#include <unistd.h>

#include <fmt/core.h>

#include "base/version.h"
#include "tool/progress_bar.h"
#include "tool/words.h"
#include "transfer/import_csv.h"

namespace laurel::tool {

namespace {

constexpr int kRefused = 1;
constexpr int kNoSense = 2;

// One line, whatever is in it.
void complain(std::string_view what) {
  std::string line(what);
  for (char& c : line) {
    if (c == '\n') c = ' ';
  }
  std::fflush(stdout);
  fmt::print(stderr, "laurel: {}\n", line);
}

// LMDB's lock file is the only mapped file that another process may cut.
extern "C" void file_was_cut(int) {
  constexpr char kLine[] =
      "laurel: unavailable: a file was cut by another program while it was read\n";
  (void)!::write(STDERR_FILENO, kLine, sizeof kLine - 1);
  ::_exit(kRefused);
}

bool wants_colours() {
  const char* const refused = std::getenv("NO_COLOR");
  const bool may = refused == nullptr || *refused == '\0';
  return may && ::isatty(STDOUT_FILENO) != 0;
}

Result<Answer> done(const Status& status) {
  if (!status) return status.refusal();
  return Answer();
}

// After "--" no word is an option. It is added before a score or a moment below zero.
std::vector<std::string> with_negative_numbers(std::vector<std::string> words) {
  if (words.empty() || (words.front() != "set" && words.front() != "void")) return words;
  if (std::ranges::find(words, "--") != words.end()) return words;
  const auto is_negative = [](const std::string& word) {
    return word.size() > 1 && word[0] == '-' &&
           (word[1] == '.' || (word[1] >= '0' && word[1] <= '9'));
  };
  const auto found = std::ranges::find_if(words, is_negative);
  if (found != words.end()) words.insert(found, "--");
  return words;
}

class CommandLine {
 public:
  CommandLine() {
    app_.require_subcommand(1);
    app_.set_help_all_flag("--help-all", "Print the help of all words");
    app_.set_version_flag("--version", version_line());
    app_.footer(
        "Status: 0 done, 1 refused or something was found, 2 the words make no sense.\n"
        "See laurel(1).");
    add_board_words();
    add_moderation_words();
    add_other_words();
  }

  int run(std::vector<std::string> words) {
    try {
      std::ranges::reverse(words);  // as the library takes them
      app_.parse(std::move(words));
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) return app_.exit(error);  // it asked for help
      complain(fmt::format("{} (see laurel --help)", error.what()));
      return kNoSense;
    }
    return answer();
  }

 private:
  using Act = std::function<Result<Answer>()>;

  static std::string version_line() { return fmt::format("laurel {}", kVersion); }

  CLI::App* word(const char* name, const char* about, Act act) {
    CLI::App* const added = app_.add_subcommand(name, about);
    added->callback([this, act = std::move(act)] { act_ = act; });
    return added;
  }

  CLI::App* reading_word(const char* name, const char* about, Act act) {
    CLI::App* const added = word(name, about, std::move(act));
    add_forms(added);
    return added;
  }

  void add_forms(CLI::App* word) {
    static const std::map<std::string, Form> kForms = {{"table", Form::table},
                                                       {"json", Form::json},
                                                       {"jsonl", Form::jsonl},
                                                       {"csv", Form::csv},
                                                       {"md", Form::md}};
    auto* const form = word->add_option("-o,--output", form_, "table, json, jsonl, csv or md");
    form->transform(CLI::CheckedTransformer(kForms))->type_name("FORM")->option_text("FORM");
    word->add_flag("--json", json_, "The same as -o json")->excludes(form);
  }

  void add_directory(CLI::App* word) {
    word->add_option("DIR", directory_, "The directory of the boards")->required()->type_name("");
  }
  void add_board(CLI::App* word) {
    word->add_option("BOARD", board_, "The name of a board")->required()->type_name("");
  }
  void add_player(CLI::App* word) {
    word->add_option("PLAYER", player_, "The id of a player")->required()->type_name("");
  }
  void add_season(CLI::App* word) {
    word->add_option("--season", season_, "A season that is kept; else the running one")
        ->type_name("N");
  }

  void add_board_words() {
    add_directory(
        reading_word("boards", "List the boards", [this] { return show_boards(directory_); }));
    auto* added = reading_word("info", "Show the spec of a board as it stands",
                               [this] { return show_info(directory_, board_, season_); });
    add_directory(added);
    add_board(added);
    add_season(added);
    added = reading_word("top", "Show the best players of a board",
                         [this] { return show_top(directory_, board_, n_, from_, season_); });
    add_directory(added);
    add_board(added);
    added->add_option("-n", n_, "How many; 10 if not given")->type_name("N");
    added->add_option("--from", from_, "The first position; 1 if not given")->type_name("N");
    add_season(added);
    added = reading_word("rank", "Show the rank of a player, and what the next one is ahead",
                         [this] { return show_rank(directory_, board_, player_, season_); });
    add_directory(added);
    add_board(added);
    add_player(added);
    add_season(added);
    added = reading_word("around", "Show a player between those above and below", [this] {
      return show_around(directory_, board_, player_, around_, season_);
    });
    add_directory(added);
    add_board(added);
    add_player(added);
    added->add_option("-n", around_, "How many above and below; 2 if not given")->type_name("N");
    add_season(added);
  }

  CLI::App* moderation_word(const char* about, Moderation::Kind kind) {
    CLI::App* const added = word(std::string(laurel::word(kind)).c_str(), about, [this, kind] {
      moderation_.kind = kind;
      moderation_.board = only_.value_or(board_);
      moderation_.player = player_;
      return moderate(directory_, moderation_);
    });
    add_directory(added);
    return added;
  }

  CLI::App* moderation_on_board(const char* about, Moderation::Kind kind) {
    CLI::App* const added = moderation_word(about, kind);
    add_board(added);
    if (kind != Moderation::Kind::reset) add_player(added);
    return added;
  }

  void add_moderation_words() {
    for (const auto& [kind, about] :
         {std::pair(Moderation::Kind::ban, "Hide a player, and refuse the player's results"),
          std::pair(Moderation::Kind::unban, "Take a ban back")}) {
      CLI::App* const added = moderation_word(about, kind);
      add_player(added);
      added->add_option("--board", only_, "On this board only; else on every one")->type_name("B");
    }
    add_player(moderation_word("Remove every trace of a player", Moderation::Kind::forget));
    auto* added = moderation_on_board("Give a player this score", Moderation::Kind::set);
    added->add_option("SCORE", moderation_.value, "The score; columns with commas between them")
        ->required()
        ->type_name("");
    moderation_on_board("Take the entry of a player off", Moderation::Kind::remove);
    added = moderation_on_board("Take back the result of a player that came at a moment",
                                Moderation::Kind::take_back);
    added->add_option("AT", moderation_.value, "The moment: Unix seconds, or ISO 8601 in UTC")
        ->required()
        ->type_name("");
    moderation_on_board("End the running season of a board", Moderation::Kind::reset);
  }

  void add_other_words() {
    auto* added = reading_word(
        "player", "Show the profile, the boards and the last sessions of a player", [this] {
          return show_player(directory_, {player_, email_});
        });
    add_directory(added);
    auto* const id = added->add_option("ID", player_, "The id of the player")->type_name("");
    auto* const email = added->add_option("--email", email_, "The email of the player");
    email->type_name("E")->excludes(id);
    added->parse_complete_callback([this] {
      if (player_.empty() && email_.empty()) throw CLI::RequiredError("ID or --email");
    });
    add_directory(reading_word("stats", "Show what the file holds",
                               [this] { return show_stats(directory_); }));
    add_directory(reading_word("check", "Read everything, and compare it",
                               [this] { return check(directory_); }));

    added = word("export", "Write the boards to a file",
                 [this] { return done(export_to(directory_, file_, only_, export_form_)); });
    add_directory(added);
    added->add_option("FILE", file_, "A file, or - for standard output")->required()->type_name("");
    added->add_option("--board", only_, "This board only")->type_name("B");
    static const std::map<std::string, ExportForm> kForms = {{"jsonl", ExportForm::jsonl},
                                                             {"csv", ExportForm::csv}};
    added->add_option("--format", export_form_, "jsonl or csv; jsonl if not given")
        ->transform(CLI::CheckedTransformer(kForms))
        ->option_text("FORMAT");
    add_import();
    added =
        word("backup", "Copy the directory", [this] { return done(back_up(directory_, target_)); });
    add_directory(added);
    added->add_option("TARGET", target_, "A directory that does not exist or is empty")
        ->required()
        ->type_name("");

    added = reading_word("rules", "Load rule files as a server would",
                         [this] { return Result<Answer>(try_rules(files_)); });
    added->add_option("FILE", files_, "Files of rules")->required()->type_name("");
    added = word("watch", "Show the top of a board that a server publishes, as it changes",
                 [this] { return done(watch_board()); });
    // CLI11 2.4 takes no name with a colon.
    added->add_option("ADDRESS", server_, "Where the server's live channel is, as HOST:PORT")
        ->required()
        ->type_name("")
        ->check(
            [](const std::string& text) {
              return read_address(text) ? std::string()
                                        : fmt::format("\"{}\" is no HOST:PORT", text);
            },
            "");
    added->preparse_callback([this](std::size_t) { ends_by_itself_ = false; });
    add_board(added);
    added->add_option("-n", n_, "How many; 10 if not given")->type_name("N");
    added->add_option("--token-file", token_file_, "A file with the token for the server")
        ->type_name("F");
    added->add_flag("--json", json_, "A line of JSON for each state, also on a terminal");
    reading_word("version", "Show the version", [] {
      Answer answer;
      answer.json = {{"version", kVersion}};
      answer.notes.push_back(version_line());
      answer.csv = {"version", std::string(kVersion)};
      return Result<Answer>(std::move(answer));
    });
  }

  void add_import() {
    auto* const added = word(
        "import", "Read what export wrote, or a CSV, into a directory that no process has open",
        [this] { return done(import_file()); });
    add_directory(added);
    added->add_option("FILE", file_, "A file, or - for standard input")->required()->type_name("");
    auto* const board = added->add_option("--board", only_, "The board that takes a CSV");
    auto* const map = added->add_option("--map", map_, "Its columns: player=COLUMN,score=COLUMN");
    auto* const order =
        added->add_option("--order", order_, "desc or asc, of a board that is made");
    board->type_name("B")->needs(map);
    map->needs(board)->type_name("MAP")->check(
        [](const std::string& text) {
          const Result<CsvMap> read = read_csv_map(text);
          return read ? std::string() : std::string(read.refusal().message());
        },
        "");
    order->needs(board)->type_name("ORDER")->check(CLI::IsMember({"desc", "asc"}), "");
  }

  Status import_file() {
    if (map_.empty()) return import_from(directory_, file_);
    return import_table(directory_, {.file = file_, .board = *only_, .map = map_, .order = order_});
  }

  Status watch_board() {
    return watch({.server = *read_address(server_),
                  .board = board_,
                  .n = n_,
                  .token_file = token_file_,
                  .json = json_,
                  .colours = wants_colours()});
  }

  int answer() {
    Result<Answer> answer = [this] {
      std::optional<ProgressBar> bar;
      if (ends_by_itself_) bar.emplace();
      return act_();
    }();
    if (!answer) {
      complain(answer.refusal().text());
      return kRefused;
    }
    const bool writes =
        !answer->json.is_null() || !answer->tables.empty() || !answer->notes.empty();
    if (writes) {
      const Form form = json_ ? Form::json : form_;
      const Status shown = show(*answer, form, wants_colours(), stdout);
      if (!shown) {
        complain(shown.refusal().text());
        return kRefused;
      }
      const bool for_people = form == Form::table || form == Form::md;
      if (!answer->caveat.empty() && !for_people) complain(answer->caveat);
    }
    for (const std::string& problem : answer->problems) complain(problem);
    return answer->problems.empty() ? 0 : kRefused;
  }

  CLI::App app_{"Boards of laurel: what a directory holds, beside the server that uses it",
                "laurel"};
  Act act_;
  bool ends_by_itself_ = true;
  Form form_ = Form::table;
  bool json_ = false;
  std::string directory_;
  std::string board_;
  std::string player_;
  std::string email_;
  std::string file_;
  std::string target_;
  std::string map_;
  std::optional<std::string> order_;
  std::string server_;
  std::optional<std::string> token_file_;
  std::vector<std::string> files_;
  std::optional<std::string> only_;
  Moderation moderation_;
  std::optional<std::uint64_t> season_;
  ExportForm export_form_ = ExportForm::jsonl;
  std::int64_t n_ = 10;
  std::int64_t from_ = 1;
  std::int64_t around_ = 2;
};

int run(int count, char** words) {
  std::signal(SIGPIPE, SIG_DFL);  // `laurel top ... | head` ends without a message
  std::signal(SIGBUS, file_was_cut);
  try {
    std::vector<std::string> all = with_negative_numbers({words + 1, words + count});
    return CommandLine().run(std::move(all));
  } catch (const std::bad_alloc&) {
    complain("unavailable: no memory");
  } catch (const std::exception& error) {
    complain(fmt::format("unavailable: {}", error.what()));
  }
  return kRefused;
}

}  // namespace

}  // namespace laurel::tool

int main(int count, char** words) { return laurel::tool::run(count, words); }
