// Which servers a remote trusts over TLS, and what it says of those that it does not.
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <vector>

#include <doctest/doctest.h>
#include <fmt/core.h>

#include "base/steady_clock.h"
#include "hostile_server.h"
#include "poster.h"
#include "remote/limits.h"
#include "remote/remote.h"
#include "shared_servers.h"

namespace laurel {

namespace {

// Waits until `is_right` accepts the state, and returns it.
template <typename Right>
std::string state_when(const Remote& remote, Right is_right) {
  const Time give_up = steady_now() + 20 * kSecond;
  std::string down = remote.state().down;
  while (!is_right(down) && steady_now() < give_up) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
    down = remote.state().down;
  }
  return down;
}

std::string trouble(const Remote& remote) {
  return state_when(remote, [](const std::string& down) {
    return !down.empty() && !down.ends_with("not connected yet");
  });
}

std::string recovery(const Remote& remote) {
  return state_when(remote, [](const std::string& down) { return down.empty(); });
}

std::string refusal_of(const std::string& url) {
  const auto remote = open_remote(url);
  return remote ? "opened" : std::string(remote.refusal().text());
}

ServerTls without_client(CertificateAuthority& authority, const CertificateFiles& own) {
  return {.own = own, .ca = authority.own().cert, .client = std::nullopt};
}

std::string setting_of(const CertificateFiles& files) {
  return fmt::format("CONFIG SET tls-cert-file {} tls-key-file {}", files.cert, files.key);
}

}  // namespace

TEST_CASE("posts and changes pass a Redis over TLS that wants a certificate of its clients") {
  CertificateAuthority authority;
  const auto servers = RedisServers::one({.password = "correct-horse", .tls = tls_of(authority)});
  if (!servers) return;
  const std::string url =
      servers->scheme() + ":correct-horse@" + servers->hosts() + servers->options();
  const std::string name = new_name();
  const Spec spec = sums(2);
  Poster reader(url, name, spec);
  Poster writer(url, name, spec);
  REQUIRE(writer.create());
  reader.remote().follow({name, std::make_shared<const Spec>(spec), 0});
  for (int i = 0; i < 500; ++i) writer.post("ada", 1);
  writer.pump_all();
  CHECK(reader.score("ada") == 500);
  const Time give_up = steady_now() + kPatience;
  while (reader.changed == 0 && steady_now() < give_up) reader.pump();
  CHECK(reader.changed > 0);
}

TEST_CASE(
    "a server whose certificate does not pass is down with a sentence, and gets no password") {
  CertificateAuthority authority;
  CertificateAuthority stranger;
  const CertificateFiles good = authority.issue({"127.0.0.1", "localhost"});
  const auto servers =
      RedisServers::one({.password = "correct-horse", .tls = without_client(authority, good)});
  if (!servers) return;
  const auto url = [&](const std::string& options) {
    return "rediss://:battery-staple@" + servers->hosts() + options;
  };
  const std::string with_ca = "?ca=" + authority.own().cert;
  struct Case {
    CertificateFiles shown;
    std::string options;
    std::string told;
  };
  const std::vector<Case> cases = {
      {authority.issue({"127.0.0.1"}, {.from_hours = -48, .to_hours = -24}), with_ca,
       ": its certificate has expired on 20"},
      {authority.issue({"127.0.0.1"}, {.from_hours = 24, .to_hours = 48}), with_ca,
       "on, which is later than this machine's clock"},
      {authority.issue({"a.example", "10.0.0.1", "b.example", "c.example"}), with_ca,
       ": its certificate is of another name: it has \"a.example\", \"10.0.0.1\", \"b.example\" "
       "and "
       "1 more, not \"127.0.0.1\""},
      {authority.issue({"a\x1b[2J.example"}), with_ca,
       ": its certificate is of another name: it has \"a\\x1b[2J.example\", not \"127.0.0.1\""},
      {good, with_ca + "&name=redis.example",
       ": its certificate is of another name: it has \"127.0.0.1\", \"localhost\", not "
       "\"redis.example\""},
      {authority.issue_self_signed({"127.0.0.1"}), with_ca,
       ": its certificate is signed by itself, and is not one of those in \""},
      {authority.issue_self_signed({"127.0.0.1"}), "",
       ": its certificate is signed by itself, and this machine does not trust it; name it with "
       "?ca="},
      {good, "",
       ": its certificate is not signed by an authority that this machine trusts; name the "
       "authority with ?ca="},
      {stranger.issue({"127.0.0.1"}), with_ca,
       ": its certificate is signed by none of those in \""},
      {good, "?ca=" + stranger.own().cert, ": its certificate is signed by none of those in \""},
  };
  for (const Case& each : cases) {
    CAPTURE(each.told);
    REQUIRE(servers->ask(0, setting_of(each.shown)) == "OK");
    const auto remote = open_remote(url(each.options));
    REQUIRE(remote);
    const std::string down = trouble(**remote);
    CHECK_MESSAGE(down.find(each.told) != std::string::npos, down);
    CHECK(down.find("staple") == std::string::npos);
  }
  // A password that reached the server would be in its list of failed attempts.
  CHECK(servers->ask(0, "ACL LOG").empty());
  REQUIRE(servers->ask(0, setting_of(good)) == "OK");
  const auto trusted = open_remote(url(with_ca));
  CHECK(trouble(**trusted).ends_with("it refuses the user or the password"));
  CHECK_FALSE(servers->ask(0, "ACL LOG").empty());
}

TEST_CASE("a remote is up as soon as the server shows the right certificate") {
  CertificateAuthority authority;
  const CertificateFiles expired =
      authority.issue({"127.0.0.1"}, {.from_hours = -48, .to_hours = -24});
  const auto servers = RedisServers::one({.tls = without_client(authority, expired)});
  if (!servers) return;
  Poster poster(servers->url(), new_name(), sums(2));
  CHECK(trouble(poster.remote()).find("has expired on") != std::string::npos);
  REQUIRE(servers->ask(0, setting_of(authority.issue({"127.0.0.1"}))) == "OK");
  CHECK(recovery(poster.remote()).empty());
  CHECK(poster.create());
}

TEST_CASE("the name of a server is that of the URL, or the one that the URL says") {
  CertificateAuthority authority;
  const auto servers = RedisServers::one(
      {.tls = without_client(authority, authority.issue({"localhost", "*.cache.example"}))});
  if (!servers) return;
  const auto state = [&](const std::string& host, const std::string& name) {
    const auto remote = open_remote(
        fmt::format("rediss://{}:{}{}{}", host, servers->port(0), servers->options(), name));
    return state_when(**remote, [](const std::string& down) {
      return down.empty() || !down.ends_with("not connected yet");
    });
  };
  CHECK(state("localhost", "").empty());
  CHECK(state("127.0.0.1", "&name=localhost").empty());
  CHECK(state("127.0.0.1", "&name=one.cache.example").empty());
  CHECK(state("127.0.0.1", "").ends_with("not \"127.0.0.1\""));
  CHECK(state("127.0.0.1", "&name=one.two.cache.example").ends_with("two.cache.example\""));
  CHECK(state("localhost", "&name=127.0.0.1").ends_with("not \"127.0.0.1\""));
}

TEST_CASE("a server may be trusted by its own certificate, and its name is checked all the same") {
  CertificateAuthority authority;
  const CertificateFiles own = authority.issue_self_signed({"127.0.0.1"});
  const auto servers = RedisServers::one({.tls = without_client(authority, own)});
  if (!servers) return;
  const auto remote = open_remote("rediss://" + servers->hosts() + "?ca=" + own.cert);
  CHECK(recovery(**remote).empty());
  const auto named =
      open_remote("rediss://" + servers->hosts() + "?ca=" + own.cert + "&name=a.example");
  CHECK(trouble(**named).find("is of another name") != std::string::npos);
}

TEST_CASE("a server that wants a certificate of us says what is wrong with ours") {
  CertificateAuthority authority;
  CertificateAuthority namesake;
  CertificateAuthority stranger("stranger.example");
  const auto servers = RedisServers::one({.tls = tls_of(authority)});
  if (!servers) return;
  const auto state = [&](const std::string& own) {
    const auto remote =
        open_remote("rediss://" + servers->hosts() + "?ca=" + authority.own().cert + own);
    REQUIRE(remote);
    return trouble(**remote);
  };
  const auto shown = [](const CertificateFiles& files) {
    return fmt::format("&cert={}&key={}", files.cert, files.key);
  };
  CHECK(state("").ends_with("it wants a certificate of us: name one with ?cert= and its &key="));
  const std::string forged = state(shown(namesake.issue({"game.example"})));
  CHECK_MESSAGE(forged.ends_with("it refuses our certificate"), forged);
  const std::string unknown = state(shown(stranger.issue({"game.example"})));
  CHECK_MESSAGE(unknown.ends_with("it does not trust who signed our certificate"), unknown);
  const std::string expired =
      state(shown(authority.issue({"game.example"}, {.from_hours = -48, .to_hours = -24})));
  CHECK_MESSAGE(expired.ends_with("it says that our certificate has expired"), expired);
}

TEST_CASE(
    "a file of rediss:// that is not what it should be is refused when the remote is opened") {
  CertificateAuthority authority;
  const CertificateFiles one = authority.issue({"game.example"});
  const CertificateFiles two = authority.issue({"game.example"});
  const std::string key_text = "-----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----\n";
  const std::string damaged = authority.write("damaged.key", key_text);
  const std::string broken = authority.write(
      "broken.pem", "-----BEGIN CERTIFICATE-----\naHVudGVyMg==\n-----END CERTIFICATE-----\n");
  const std::string empty = authority.write("empty.pem", "");
  const std::string large = authority.write("large.pem", std::string(kTlsFileBytesMax + 1, 'a'));
  const auto own = [](const std::string& cert, const std::string& key) {
    return fmt::format("cert={}&key={}", cert, key);
  };
  struct Case {
    std::string options;
    std::string told;
  };
  for (const Case& each : std::vector<Case>{
           {"ca=/nowhere/ca.pem",
            "invalid: the ca of rediss://, \"/nowhere/ca.pem\", cannot be read: No such file or "
            "directory"},
           {"ca=" + authority.folder(), "is not a file"},
           {"ca=/dev/zero", "is not a file"},
           {"ca=" + empty, "has no certificate in PEM form"},
           {"ca=" + damaged, "has a certificate that is damaged"},
           {"ca=" + broken, "has a certificate that is damaged"},
           {"ca=" + large, "has 1048577 bytes; the most is 1048576"},
           {own(one.cert, two.key), "is not that of the certificate in"},
           {own(one.cert, "/nowhere.key"), "\"/nowhere.key\", cannot be read"},
           {own(one.cert, damaged), "has no key in PEM form"},
           {own(one.cert, one.cert), "has no key in PEM form"},
           {own(one.key, one.key), "has no certificate in PEM form"},
           {own(one.cert, authority.locked(one.key)),
            "has a passphrase: it takes a key without one"},
       }) {
    CAPTURE(each.told);
    const std::string refusal = refusal_of("rediss://:hunter2@127.0.0.1:1?" + each.options);
    CHECK_MESSAGE(refusal.find(each.told) != std::string::npos, refusal);
    CHECK(refusal.starts_with("invalid: "));
    CHECK(refusal.find("hunter2") == std::string::npos);
  }
  CHECK(refusal_of("rediss://127.0.0.1:1?" + own(one.cert, one.key)) == "opened");
}

TEST_CASE(
    "a server without TLS on a rediss:// URL, and one with it on redis://, is told by a sentence") {
  CertificateAuthority authority;
  const auto plain = RedisServers::one();
  const auto secret = RedisServers::one({.tls = tls_of(authority)});
  if (!plain || !secret) return;
  const auto to_plain = open_remote("rediss://" + plain->hosts());
  const std::string told = trouble(**to_plain);
  CHECK_MESSAGE(told.ends_with("TLS: is this its port for redis://, without TLS?"), told);
  const auto to_secret = open_remote("redis://" + secret->hosts());
  const std::string closed = trouble(**to_secret);
  CHECK_MESSAGE(closed.ends_with("if it wants TLS, its URL is rediss://"), closed);
}

TEST_CASE("what answers a TLS greeting with other bytes, or with none, is told by a sentence") {
  using namespace std::string_view_literals;
  constexpr std::string_view kNoTls =
      "its answer is not TLS: is this its port for redis://, without TLS?";
  struct Case {
    std::string_view bytes;
    std::string_view told;
  };
  for (const Case& each : {
           Case{"", "it does not answer in TLS: is this its port for redis://, without TLS?"},
           Case{"-ERR unknown command\r\n", kNoTls},
           Case{"HTTP/1.1 400 Bad Request\r\n\r\n", kNoTls},
           Case{"\x16\x03\x03\xff\xff", kNoTls},
           Case{"\x15\x03\x01\x00\x02\x02\x28"sv,
                "it refuses the TLS handshake: it may want a certificate of us, which ?cert= and "
                "&key= name"},
           Case{"\x15\x03\x01\x00\x02\x02\x46"sv, "it speaks no version of TLS since 1.2"},
           Case{"\x15\x03\x01\x00\x02\x02\x50"sv, "TLS failed: tlsv1 alert internal error"},
       }) {
    const HostileServer server{std::string(each.bytes)};
    const std::string hosts = server.url().substr(std::string("redis://").size());
    auto remote = std::move(*open_remote("rediss://" + hosts));
    const std::string down = trouble(*remote);
    CHECK_MESSAGE(down.ends_with(each.told), down);
    const Time begun = steady_now();
    remote.reset();
    CHECK(steady_now() - begun < 6 * kSecond);
  }
}

// Runs in a process of its own, which the next case starts.
TEST_CASE("a process ends while its remotes speak TLS" * doctest::skip()) {
  const char* const url = std::getenv("LAUREL_TEST_URL");
  REQUIRE(url != nullptr);
  // The host's own handler of the end takes its time, after OpenSSL's, which is registered later.
  std::atexit([] { std::this_thread::sleep_for(std::chrono::milliseconds(300)); });
  std::vector<std::unique_ptr<Remote>> remotes;
  for (int i = 0; i < 8; ++i) {  // these connect again and again
    remotes.push_back(std::move(*open_remote(std::string(url) + "&name=other.example")));
  }
  for (int i = 0; i < 2; ++i) remotes.push_back(std::move(*open_remote(url)));
  const auto spec = std::make_shared<const Spec>(sums(2));
  for (RequestId id = 1; id <= 20'000; ++id) {
    for (const auto& remote : {remotes[8].get(), remotes[9].get()}) {
      remote->ask({.id = id,
                   .target = {"of no name", spec, 0},
                   .what = request::Size{},
                   .now = Fixture::kStart,
                   .deadline = steady_now() + kPatience});
    }
  }
  CHECK(recovery(*remotes[8]).empty());
  CHECK_FALSE(trouble(*remotes[0]).empty());
  std::exit(7);
}

TEST_CASE("a process that ends while its remotes speak TLS ends in order") {
  CertificateAuthority authority;
  const auto servers = RedisServers::one({.tls = tls_of(authority)});
  if (!servers) return;
  const std::string self = std::filesystem::read_symlink("/proc/self/exe").string();
  for (int i = 0; i < 3; ++i) {
    const std::string said = authority.folder() + "/said";
    // What cannot be freed any longer is not a leak.
    const int status = std::system(
        fmt::format(
            "ASAN_OPTIONS=detect_leaks=0 LAUREL_TEST_URL='{}' '{}' --no-skip --test-case='a "
            "process ends while its remotes speak TLS' >'{}' 2>&1",
            servers->url(), self, said)
            .c_str());
    std::ifstream file(said);
    const std::string text{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
    CAPTURE(text);
    CHECK(WIFEXITED(status));
    CHECK(WEXITSTATUS(status) == 7);
  }
}

}  // namespace laurel
