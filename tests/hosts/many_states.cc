// A server in the manner of Skynet: each service is a Lua state, and runs on whatever thread is
// free, on one at a time. One service owns the boards; the others, which are games, send it
// messages and get answers. Each game has boards of its own, too.
//
//   many_states FOLDER_OF_LAUREL_SO
#include <condition_variable>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace {

constexpr int kGames = 12;
constexpr int kThreads = 4;
constexpr int kOwner = 0;  // the service that owns the boards

constexpr const char* kOwnerScript = R"lua(
local laurel, games, results = require "laurel", ...
local boards = laurel.open()
local board = boards:board("season", { ties = "player" })
local done = 0
function handle(from, text)
  local word, player, score = text:match("^(%a+) ?(%S*) ?(%S*)$")
  if word == "submit" then
    assert(board:submit(player, tonumber(score)))
    boards:tick()
  elseif word == "rank" then
    send(from, ("%.0f %.0f"):format(board:rank(player)))
  else
    done = done + 1
    if done < games then return end
    assert(board:size() == games * results)
    local before
    for entry in board:each() do
      assert(not before or before.score > entry.score or
        before.score == entry.score and before.player < entry.player)
      before = entry
    end
    assert(boards:close())
    finish()
  end
end
)lua";

constexpr const char* kGameScript = R"lua(
local laurel, me, results = require "laurel", ...
local own = laurel.open()
local mine = own:board("mine", {})
function handle(from, text)
  if text == "start" then
    for i = 1, results do
      mine:submit("p" .. i, i)
      send(0, ("submit g%dp%d %d"):format(me, i, i * 7 % 31))
    end
    send(0, ("rank g%dp1"):format(me))
  else
    local rank, size = text:match("^(%d+) (%d+)$")
    assert(tonumber(rank) <= tonumber(size) and tonumber(size) >= results)
    assert(mine:size() == results and mine:rank("p1") == results)
    assert(own:close())
    send(0, "done")
  end
end
)lua";

struct Message {
  int from;
  std::string text;
};

struct Service {
  lua_State* L = nullptr;
  std::deque<Message> mail;
  bool runs = false;
};

class Server {
 public:
  explicit Server(const char* folder) : services_(kGames + 1) {
    for (int i = 0; i <= kGames; ++i) services_[static_cast<std::size_t>(i)].L = open(i, folder);
  }
  ~Server() {
    for (const Service& service : services_) lua_close(service.L);
  }
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  void run() {
    for (int game = 1; game <= kGames; ++game) post(game, {kOwner, "start"});
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back([this] { work(); });
    for (std::thread& thread : threads) thread.join();
  }

 private:
  static constexpr int kResults = 50;  // of each game

  [[noreturn]] static void fail(lua_State* L) {
    std::fprintf(stderr, "%s\n", lua_tostring(L, -1));
    std::_Exit(1);
  }
  static Server& of(lua_State* L) {
    return *static_cast<Server*>(lua_touserdata(L, lua_upvalueindex(1)));
  }
  static int me(lua_State* L) { return static_cast<int>(lua_tonumber(L, lua_upvalueindex(2))); }
  static int send(lua_State* L) {
    of(L).post(static_cast<int>(luaL_checknumber(L, 1)), {me(L), luaL_checkstring(L, 2)});
    return 0;
  }
  static int finish(lua_State* L) {
    Server& server = of(L);
    const std::lock_guard lock(server.mutex_);
    server.finished_ = true;
    server.more_.notify_all();
    return 0;
  }

  lua_State* open(int id, const char* folder) {
    lua_State* const L = luaL_newstate();
    luaL_openlibs(L);
    for (const luaL_Reg& function : {luaL_Reg{"send", send}, luaL_Reg{"finish", finish}}) {
      lua_pushlightuserdata(L, this);
      lua_pushnumber(L, id);
      lua_pushcclosure(L, function.func, 2);
      lua_setglobal(L, function.name);
    }
    lua_getglobal(L, "package");
    lua_pushfstring(L, "%s/?.so", folder);
    lua_setfield(L, -2, "cpath");
    lua_pop(L, 1);
    if (luaL_loadstring(L, id == kOwner ? kOwnerScript : kGameScript) != 0) fail(L);
    lua_pushinteger(L, id == kOwner ? kGames : id);
    lua_pushinteger(L, kResults);
    if (lua_pcall(L, 2, 0, 0) != 0) fail(L);
    return L;
  }

  void post(int to, Message message) {
    const std::lock_guard lock(mutex_);
    services_[static_cast<std::size_t>(to)].mail.push_back(std::move(message));
    more_.notify_one();
  }

  Service* next() {
    for (Service& service : services_) {
      if (!service.runs && !service.mail.empty()) return &service;
    }
    return nullptr;
  }

  void work() {
    std::unique_lock lock(mutex_);
    while (true) {
      Service* service = nullptr;
      more_.wait(lock, [&] { return finished_ || (service = next()) != nullptr; });
      if (service == nullptr) return;
      const Message message = std::move(service->mail.front());
      service->mail.pop_front();
      service->runs = true;
      lock.unlock();
      lua_State* const L = service->L;
      lua_getglobal(L, "handle");
      lua_pushinteger(L, message.from);
      lua_pushlstring(L, message.text.data(), message.text.size());
      if (lua_pcall(L, 2, 0, 0) != 0) fail(L);
      lock.lock();
      service->runs = false;
      more_.notify_all();
    }
  }

  std::mutex mutex_;
  std::condition_variable more_;
  bool finished_ = false;
  std::vector<Service> services_;
};

}  // namespace

int main(int arguments, char** words) {
  if (arguments != 2) return 2;
  Server(words[1]).run();
  std::puts("one service owned the boards, on many threads");
  return 0;
}
