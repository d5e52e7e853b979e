// Writes the seeds that come from the encoder and the dumps in PROTOCOL.md: fuzz_make_seeds PAGE
// FOLDER. Run it again if the protocol changes; inputs that a fuzzer found are kept in the same
// folders.
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>
#include <vector>

#include <fmt/core.h>

#include "control/moderation_line.h"
#include "fuzz/handshake_ends.h"
#include "fuzz/stream_held.h"
#include "fuzz/target.h"
#include "live/limits.h"
#include "live/wire/board_list.h"

namespace laurel::fuzz {
namespace {

constexpr std::uint8_t kUnsequenced = 1;     // in both targets
constexpr std::uint8_t kTick = 0x10;         // in client_messages
constexpr std::uint8_t kChange = 0x20;       // in client_messages
constexpr std::uint8_t kWindows = 0x10;      // in server_messages
constexpr std::uint8_t kClientLater = 0x08;  // in client_messages: a second
constexpr std::uint8_t kServerLater = 0x06;  // in server_messages: four seconds

class Folder {
 public:
  explicit Folder(std::filesystem::path path) : path_(std::move(path)) {
    std::filesystem::create_directories(path_);
  }
  void write(const std::string& name, std::string_view bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
  }

 private:
  std::filesystem::path path_;
};

// The page's fenced blocks "```hex client 0", each as a frame, grouped by sender.
std::map<std::string, std::vector<std::string>> dumps(const char* page) {
  std::ifstream file(page);
  std::map<std::string, std::vector<std::string>> found;
  std::string who, bytes;
  std::uint8_t channel = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("```hex")) {
      who = line.substr(line.find(' ') + 1, 6);
      channel = line.back() == '1' ? kUnsequenced : 0;
    } else if (line.starts_with("```") && !who.empty()) {
      found[who].push_back(frame(channel, bytes));
      who.clear();
      bytes.clear();
    } else if (!who.empty()) {
      std::istringstream digits(line.substr(0, line.find(';')));
      for (std::string byte; digits >> byte;)
        bytes += static_cast<char>(std::stoi(byte, nullptr, 16));
    }
  }
  return found;
}

std::string said(std::uint8_t directions, const ClientMessage& message) {
  return frame(directions, encode(message));
}

// The kind of the frame's message.
std::string_view kind(const std::string& frame) {
  switch (static_cast<std::uint8_t>(frame.at(3))) {
    case 0x01: return "hello";
    case 0x02: return "subscribe";
    case 0x03: return "unsubscribe";
    case 0x04: return "resync";
    case 0x05: return "ack";
    case 0x06: return "ping";
    case 0x07: return "follow";
    case 0x08: return "unfollow";
    case 0x09: return "ask_boards";
    case 0x0A: return "ask_player";
    case 0x81: return "welcome";
    case 0x82: return "subscribed";
    case 0x83: return "error";
    case 0x84: return "bye";
    case 0x85: return "state";
    case 0x86: return "pong";
    case 0x87: return "stream_begins";
    case 0x88: return "player_is";
    case 0x89: return "board_list";
    default: return "unknown";
  }
}

Subscribe subscribe(std::string_view board, std::uint8_t n) {
  Subscribe made;
  made.board = board;
  made.n = n;
  return made;
}

Ack ack(std::uint32_t stream, std::uint64_t version, std::uint32_t received) {
  Ack made;
  made.count = 1;
  made.held[0] = {stream, version, received};
  return made;
}

void client_seeds(const Folder& folder, const std::vector<std::string>& page) {
  std::string all;
  for (std::size_t i = 0; i < page.size(); ++i) {
    folder.write(fmt::format("page_{:02}_{}", i, kind(page[i])), page[i]);
    all += page[i];
  }
  folder.write("page_all", all);
  const std::string hello = said(0, Hello{});
  const std::string ten = hello + said(kTick, subscribe("kills", 10));
  folder.write("subscribe_and_acknowledge",
               ten + said(kTick | kChange | kUnsequenced, ack(1, 1000, 1)) +
                   said(kTick | kChange | kUnsequenced, ack(1, 1001, 2)) +
                   said(kTick | kUnsequenced, Ping{7}));
  folder.write("resync", ten + said(kTick | kChange | kUnsequenced, ack(1, 1000, 1)) +
                             said(kTick | kClientLater, Resync{1}));
  folder.write("hundred_reliably",
               hello + said(kTick, subscribe("laps", 100)) + said(kTick, ack(1, 1000, 1)));
  folder.write("acknowledged_but_never_sent",
               ten + said(kTick | kChange | kUnsequenced, ack(1, kLiveNumberMax, UINT32_MAX)));
  folder.write("resubscribe_and_leave", ten + said(kTick, subscribe("kills", 3)) +
                                            said(kTick, subscribe("none", 3)) +
                                            said(kTick, Unsubscribe{"kills"}));
  std::string seventeen = hello;
  const std::string names = "abcdefghijklmnopq";
  for (std::size_t i = 0; i < names.size(); ++i)
    seventeen += said(kTick, subscribe(std::string_view(names).substr(i, 1), 1));
  folder.write("one_subscription_too_many", seventeen);
  Subscribe around = subscribe("kills", 2);
  around.view = View::around;
  std::string secret;
  for (int i = 0; i < 16; ++i) secret += static_cast<char>(0x11 * i);
  Hello named;
  named.secret = secret;
  folder.write("follow", said(0, named) + said(kTick, around) +
                             said(kTick | kChange | kUnsequenced, ack(1, 1001, 1)) +
                             said(2, named) + said(2 | kTick, around) +
                             said(kTick, Unsubscribe{"kills"}));
  folder.write("follow_nobody", hello + said(kTick, around));
  folder.write("two_clients", ten + said(2, Hello{}) + said(kTick | 2, subscribe("kills", 10)) +
                                  said(kTick | kChange | kUnsequenced, ack(1, 1000, 1)));
  Hello second;
  second.version_max = 2;
  const std::string hello_2 = said(0, second);
  folder.write("version_2", hello_2 + said(kTick, subscribe("kills", 10)) +
                                said(kTick | kChange | kUnsequenced, ack(1, 1000, 1)) +
                                said(kTick, AskBoards{}) +
                                said(kTick | kChange | kClientLater, AskBoards{}));
  const std::string zeros(kLiveSecretBytes, '\0');
  second.secret = zeros;
  folder.write("gateway",
               said(0, second) + said(kTick, Follow{"kills", 2, "ada", 0, 0}) +
                   said(kTick | kChange, Follow{"kills", 3, "bob", 9, 5}) +
                   said(kTick, AskPlayer{1, "1122334400112233445566778899aabbccddeeff"}) +
                   said(kTick | kChange, Unfollow{"kills", "ada"}) +
                   said(kTick, Unsubscribe{"kills"}));
  folder.write("gateway_messages_of_a_client",
               hello_2 + said(kTick, Follow{"kills", 2, "ada", 0, 0}) +
                   said(kTick, Unfollow{"kills", "ada"}) + said(kTick, AskPlayer{1, "a token"}));
  folder.write("version_2_in_version_1", hello + said(kTick, AskBoards{}));
  std::string offences;
  for (int i = 0; i < kLiveOffencesMax; ++i) offences += said(0, Ping{});
  folder.write("ten_offences", offences);
}

void server_seeds(const Folder& folder, const std::vector<std::string>& page) {
  std::string all;
  for (std::size_t i = 0; i < page.size(); ++i) {
    folder.write(fmt::format("page_{:02}_{}", i, kind(page[i])), page[i]);
    all += page[i];
  }
  folder.write("page_all", all);
  Subscribed subscribed;
  subscribed.board = "kills";
  subscribed.n = 10;
  subscribed.stream = kStreamHeld;
  subscribed.epoch = held().epoch;
  const std::string opened = frame(0, encode(ServerMessage(Welcome{1, 0, 50'000}))) +
                             frame(0, encode(ServerMessage(subscribed)));
  const std::string whole = frame(kUnsequenced, state_of(held(), nullptr, 10));
  const auto delta = [&](const char* name, const auto& change) {
    Window next = held();
    ++next.version;
    change(next);
    folder.write(
        name, opened + whole + frame(kUnsequenced, state_of(next, &held(), next.entries.size())));
  };
  const std::string opened_2 =
      frame(0, encode(ServerMessage(Welcome{2, 0, 50'000, Role::client, 64, "ada"})));
  StreamBegins begins;
  begins.board = "kills";
  begins.n = 10;
  begins.stream = kStreamHeld;
  begins.epoch = held().epoch;
  folder.write("version_2", opened_2 + frame(0, encode(ServerMessage(begins))) + whole +
                                frame(0, encode(ServerMessage(PlayerIs{0, "countess"}))));
  const std::string gateway =
      frame(0, encode(ServerMessage(Welcome{2, 5, 50'000, Role::gateway, 1024, ""})));
  folder.write("answered", gateway + frame(0, encode(ServerMessage(PlayerIs{1, "ada"}))) +
                               frame(0, encode(ServerMessage(PlayerIs{1, ""}))));
  std::string items;
  write_described(items, "kills", 5, encode_description({}));
  write_size(items, "kills", 6);
  write_gone(items, "kills");
  folder.write("listed", opened_2 + frame(0, encode(ServerMessage(BoardList{1, 0, 5, 5, items}))) +
                             frame(kServerLater, encode(ServerMessage(BoardList{1, 5, 6, 7, ""}))));
  delta("delta_rescore", [](Window& next) { next.entries[4].score += 1; });
  delta("delta_climb", [](Window& next) {
    std::rotate(next.entries.begin(), next.entries.begin() + 7, next.entries.begin() + 8);
    for (std::size_t i = 0; i < next.entries.size(); ++i) next.entries[i].rank = i + 1;
  });
  delta("delta_fresh", [](Window& next) {
    next.entries[9] = test::entry("newcomer", -0.5, 10);
    ++next.size;
  });
  delta("delta_name_and_data", [](Window& next) {
    next.entries[0].name = "first";
    next.entries[1].data = "{}";
    next.entries[2].data = "";
  });
  delta("delta_shorter", [](Window& next) { next.entries.resize(3); });
  delta("delta_empty", [](Window& next) { next.entries.clear(); });
  folder.write("stale_twice", opened + whole + whole);
  folder.write("without_base", opened + frame(kUnsequenced, state_of(test::ladder(3), &held(), 3)));
  folder.write("hundred_reliably",
               opened + frame(0, state_of(test::ladder(100, held().epoch, 2000), nullptr, 100)));
  subscribed.stream = 2;
  subscribed.epoch = 9;
  folder.write("new_epoch",
               opened + whole + frame(kServerLater, encode(ServerMessage(subscribed))));
  Error error;
  error.board = "kills";
  error.sentence = "no board \"kills\" is published here";
  folder.write("unpublished", opened + whole + frame(0, encode(ServerMessage(error))));
  folder.write("bye", opened + frame(0, encode(ServerMessage(Bye{Reason::slow, "slow"}))) +
                          frame(kServerLater, ""));
  folder.write("windows", frame(kWindows,
                                "\x01\x90\x01\x12\x02\x80\x02\x01\x82\x90\x01\x01\x81\x80"
                                "\x02\x32\x83\x70\x02\x01"));
}

void datagram_seeds(const Folder& folder) {
  using namespace std::string_literals;
  const std::string head = "\x80\x01\x12\x34"s;  // to peer 1, with the sent time
  const std::string hello = encode(ClientMessage(Hello{}));
  const std::string size(1, static_cast<char>(hello.size()));
  const std::string reliable = "\x86\0\0\x01\0"s + size + hello;
  const std::string ping = encode(ClientMessage(Ping{7}));
  const std::string unsequenced = "\x49\x01\0\0\0\x01\0\x05"s + ping;
  const std::string connect = "\x82\xFF\0\x01"s + std::string(44, '\0');
  folder.write("connect", "\0\x8F\xFF\x12\x34"s + connect);
  folder.write("connect_with_checksum", "\x01\x8F\xFF\x12\x34\0\0\0\0"s + connect);
  folder.write("reliable_hello", "\0"s + head + reliable);
  folder.write("unsequenced_ping", "\0"s + head + unsequenced);
  folder.write("several", "\0"s + head + "\x01\xFF\0\0\0\x01\x12\x34"s + reliable + unsequenced);
  folder.write("disconnect", "\0"s + head + "\x84\xFF\0\x02\0\0\0\0"s);
  folder.write("throttle", "\0"s + head + "\x8B\xFF\0\x02"s + std::string(12, '\0'));
  folder.write("fragment", "\0"s + head + "\x88\0\0\x01\0\x01\0\x01"s + std::string(17, '\x7F'));
  folder.write("too_long_a_message",
               "\0"s + head + "\x86\0\0\x01\x02\x81"s + std::string(641, 'x'));
  folder.write("compressed", "\0\x40\0\0\0"s);
}

void reply_seeds(const Folder& folder) {
  using namespace std::string_literals;
  const std::string greeting =
      "+OK\r\n$40\r\n" + std::string(40, 'a') + "\r\n*3\r\n$6\r\nmaster\r\n:7\r\n*0\r\n";
  const std::string rows =
      "*6\r\n$2\r\nok\r\n:2\r\n:0\r\n:0\r\n:2\r\n*6\r\n$1\r\na\r\n$2\r\n10\r\n$0\r\n\r\n"
      "$1\r\nb\r\n$1\r\n5\r\n$-1\r\n";
  folder.write("greeting", "\0"s + greeting);
  folder.write("greeting_in_parts", "\x03"s + greeting);
  folder.write("rows", "\0"s + rows);
  folder.write("rows_in_parts", "\x05"s + rows + greeting);
  folder.write("errors", "\x07-MOVED 1 127.0.0.1:6379\r\n-NOSCRIPT no\r\n*-1\r\n$-1\r\n"s);
  folder.write("huge_list", "\0*2147483647\r\n"s);
  folder.write("nested", "\0*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*1\r\n*2\r\n:1\r\n+a\rb\n\r\n"s);
}

void control_seeds(const Folder& folder) {
  using Kind = Moderation::Kind;
  const auto write = [&](const std::string& name, const Moderation& order) {
    folder.write(name, line_of(order));
  };
  write("ban", {.kind = Kind::ban, .player = "ada"});
  write("ban_on_board", {.kind = Kind::ban, .board = "b", .player = "ada"});
  write("unban", {.kind = Kind::unban, .player = "ada"});
  write("forget", {.kind = Kind::forget, .player = "\xff"});
  write("set", {.kind = Kind::set, .board = "b", .player = "ada", .value = "-1.5e3"});
  write("set_columns", {.kind = Kind::set, .board = "c", .player = "ada", .value = "3, 12.25"});
  write("remove", {.kind = Kind::remove, .board = "b", .player = "ada"});
  write("void", {.kind = Kind::take_back, .board = "b", .player = "ada", .value = "1000"});
  write("void_iso", {.kind = Kind::take_back,
                     .board = "b",
                     .player = "ada",
                     .value = "1970-01-01T00:16:40.000000Z"});
  write("reset", {.kind = Kind::reset, .board = "b"});
  folder.write("done", answer_line(std::string("player \"ada\" is banned")));
  folder.write("refused", answer_line(Refusal(Code::unknown, "no board is called \"c\"")));
  folder.write("deep", std::string(200, '['));
}

std::string flipped(std::string bytes, std::size_t at) {
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

void handshake_seeds(const Folder& first_folder, const Folder& second_folder) {
  const std::string hello = encode(ClientMessage(Hello())), ping = encode(ClientMessage(Ping{7}));
  const std::string first = *fuzz_client(kSealedWord).first();
  const std::string of_both = *fuzz_client(kWordOfBoth).first();
  const std::string opened = frame(0, first);
  first_folder.write("first", opened);
  first_folder.write("first_of_both", frame(kFrameOther, of_both));
  first_folder.write("packets", opened + frame(kFrameSealed, hello) +
                                    frame(kFrameSealed | kFrameUnsequenced, ping));
  first_folder.write("unsequenced_first", opened + frame(kFrameSealed | kFrameUnsequenced, ping) +
                                              frame(kFrameSealed, hello));
  first_folder.write("twice", opened + opened);
  first_folder.write("hello_in_clear", frame(0, hello));
  first_folder.write("hello_in_clear_of_both",
                     frame(kFrameOther, hello) + frame(kFrameOther, ping));
  first_folder.write("of_the_other_word", frame(0, of_both) + frame(kFrameOther, first));
  first_folder.write("changed_version", frame(0, flipped(first, 2)));
  first_folder.write("changed_key", frame(0, flipped(first, 10)));
  first_folder.write("changed_tag", frame(0, flipped(first, kFirstBytes - 1)));
  first_folder.write("shorter", frame(0, first.substr(0, 50)));
  first_folder.write("packet_not_sealed", opened + frame(0, hello));

  constexpr std::uint8_t kEnds = 2, kAnswers = 8;
  const std::string answered = frame(kAnswers, "");
  const std::string welcome = encode(ServerMessage(Welcome())),
                    pong = encode(ServerMessage(Pong{7}));
  const auto other = answer_to(first, kSealedWord, fuzz_secret(), fuzz_server(), fuzz_pair(3));
  second_folder.write("answer", answered);
  second_folder.write("packets", answered + frame(kFrameSealed, welcome) +
                                     frame(kFrameSealed | kFrameUnsequenced, pong));
  second_folder.write("answer_to_another", frame(0, other->second));
  second_folder.write("answer_unsequenced", frame(kAnswers | kFrameUnsequenced, "") + answered);
  second_folder.write("welcome_in_clear", frame(0, welcome));
  second_folder.write("packet_not_sealed", answered + frame(0, welcome));
  second_folder.write("refused", frame(kEnds, std::string("\4\0\0\0", 4)));
  second_folder.write("refused_after", answered + frame(kEnds, std::string("\4\0\0\0", 4)));
  second_folder.write("replaced", frame(kEnds, std::string("\12\0\0\0", 4)));
}

}  // namespace
}  // namespace laurel::fuzz

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const std::filesystem::path folder = argv[2];
  auto page = laurel::fuzz::dumps(argv[1]);
  laurel::fuzz::client_seeds(laurel::fuzz::Folder(folder / "client_messages"), page["client"]);
  laurel::fuzz::server_seeds(laurel::fuzz::Folder(folder / "server_messages"), page["server"]);
  laurel::fuzz::handshake_seeds(laurel::fuzz::Folder(folder / "first_messages"),
                                laurel::fuzz::Folder(folder / "second_messages"));
  laurel::fuzz::datagram_seeds(laurel::fuzz::Folder(folder / "datagrams"));
  laurel::fuzz::reply_seeds(laurel::fuzz::Folder(folder / "redis_replies"));
  laurel::fuzz::control_seeds(laurel::fuzz::Folder(folder / "control_lines"));
  return 0;
}
