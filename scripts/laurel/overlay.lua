-- overlay.lua - a client of a server's boards: the same as laurel.connect, but in pure Lua, for
-- programs that have ENet but not laurel.so, such as LÖVE and OBS Studio.
--
--   local overlay = require "laurel.overlay"
--   local client = assert(overlay.connect { host = "203.0.113.7", port = 7777 })
--   client:subscribe("season_3", 10, function(top, size)
--     if not top then return print(size) end              -- "unknown: ..."
--     for _, entry in ipairs(top) do print(entry.rank, entry.name or entry.player, entry.score) end
--   end)
--   function love.update() client:tick() end               -- every frame; calls back
--   function love.quit() client:close() end
--
--   windows    a list is always exactly one state that the board had. It never goes back to an
--              older state, and reaches the newest despite packet loss. The script may modify the
--              tables of a list.
--   failures   an argument of the wrong type raises an error. A value that is not accepted is
--              refused: the call returns nil and a reason, "word: sentence". Network failures never
--              raise; see the client's `state`.
--   lost       a lost client connects again automatically and continues from what it holds.
--   callbacks  run inside tick, one after the other, and may subscribe, follow, unsubscribe and
--              close. A tick inside a callback does nothing. An error in a callback is logged with
--              its traceback, and the client continues.
--   blocking   no call blocks, except the lookup of a host name: ENet's bindings do it at each
--              connect, and block. Use an address if a frame must not block.
--   needs      LuaJIT, or any Lua from 5.1 to 5.4 with a binding of ENet. Scores, versions and
--              checksums are exact in all.
--   servers    may be of 0.1.0: their entries have no `at` and no `rank_change`, they have no list
--              of boards, and take 16 subscriptions.
--   encrypted  connections need laurel.so. A token for one, as a server that requires tokens makes
--              it, is refused; live:token(player, seconds, { clear = true }) makes one for this
--              client.
--   limits     64 subscriptions, a gateway 1,024; 100 entries of a top; 10 above and 10 below a
--              player.
local BoardList = require "laurel.board_list"
local Connection = require "laurel.connection"
local Credentials = require "laurel.credentials"
local Questions = require "laurel.questions"
local Subscriptions = require "laurel.subscriptions"
local arguments = require "laurel.arguments"
local clock = require "laurel.clock"
local fields = require "laurel.fields"
local protected = require "laurel.protected"
local text = require "laurel.text"
local wire = require "laurel.wire"

local overlay = {}

---One player's entry.
---@class laurel.overlay.Entry
---@field player string
---@field name string? what the player is called
---@field score number|number[] an array of the columns on a board that has them
---@field rank number may end in .5 if the board's ranking is fractional
---@field at number? when the score was attained
---@field data string? if the board is published with it
---@field rank_change number? if the board is published with changes: how many ranks the player
---climbed since the board's last mark; nil for a player who was not ranked then

---Called with a list, best first, the number of ranked players and the list's version; or with nil
---and a reason, such as "unknown: no board "season_3" is published here".
---@alias laurel.overlay.Callback
---| fun(entries: laurel.overlay.Entry[]?, size: integer|string, version: integer?)

---Called inside tick when a token is needed. May return nil and a reason; it is called again later.
---@alias laurel.overlay.Fetch fun(): string?, string?

---@class laurel.overlay.Options
---@field host string? an IPv4 address or a name; default: 127.0.0.1
---@field port integer? UDP; default: 7777
---@field token string|laurel.overlay.Fetch|nil of live:token or live:gateway_token, or what
---fetches one
---@field enet table? a binding with lua-enet's interface; default: `require "enet"`, else by ffi
---@field clock (fun(): number)? seconds since any moment; default: LÖVE's timer, else the system's
---@field log fun(level: "error", text: string)? default: standard error

local FIELDS = { host = "string", port = "number", token = "string|function", enet = "table",
  clock = "function", log = "function" }

local PEERS = 2 -- one may still be closing while the next one connects

-- How many subscriptions a client may have before a server says so.
local SUBSCRIPTIONS_MAX, SUBSCRIPTIONS_OF_GATEWAY_MAX = 64, 1024

---@class laurel.overlay.Client
local Client = {}
Client.__index = Client

local PARTS = {} -- the key of a client's private state

local function parts(client, name)
  arguments.check_self(name, client, Client, "client")
  return rawget(client, PARTS)
end

local function open_parts(client, name)
  arguments.check_self(name, client, Client, "client")
  local own = rawget(client, PARTS)
  if own.connection.phase == "closed" then error("closed: this client is closed", 3) end
  return own
end

-- --- connecting

local function find_binding()
  local found, enet = pcall(require, "enet")
  if found and type(enet) == "table" then return enet end
  local loaded, by_ffi = pcall(require, "laurel.enet_ffi")
  if loaded then return by_ffi end
  return nil, ("unsupported: no ENet here: neither a module \"enet\" nor libenet.so.7 by ffi (%s)")
    :format(text.escaped(tostring(by_ffi), 120))
end

-- Differs between clients that start at the same time, so that they do not reconnect all at once.
local function seed()
  local address = tostring({}):match("%x+$") or "0"
  return (tonumber(address:sub(-7), 16) or 0) + os.time() % 1000003 * 131
end

-- Receives the events of the connection.
local Owner = {}
Owner.__index = Owner

function Owner:heard(message, channel, now)
  local subscriptions, connection = self.subscriptions, self.connection
  local kind, version = message.kind, connection.version
  if kind == "state" then
    subscriptions:take(message, channel, connection, now)
  elseif kind == "error" then
    subscriptions:error(message)
  elseif kind == "subscribed" and version < 2 then
    subscriptions:subscribed(message)
  elseif kind == "stream_begins" and version >= 2 then
    subscriptions:subscribed(message,
      { version = version, halves = message.halves, columns = message.columns })
  elseif kind == "player_is" and version >= 2 then
    self.questions:hear(message)
  elseif kind == "board_list" and version >= 2 then
    self.boards:hear(message, now)
  end
end

function Owner:lost()
  self.boards:lost()
  self.subscriptions:lost()
  self.questions:lost()
  if self.connection.phase == "refused" then
    self.questions:refuse_all("unavailable: " .. self.connection:state())
  end
end

---Returns a client that begins to connect at its first tick.
---@param options laurel.overlay.Options?
---@return laurel.overlay.Client? client
---@return string? reason unsupported: no ENet, or a token for an encrypted connection;
---unavailable: no socket
function overlay.connect(options)
  options = options == nil and {} or options
  arguments.check_options("connect", 1, options, FIELDS)
  local host, port, token = options.host or "127.0.0.1", options.port or 7777, options.token
  arguments.check_range("connect", 1, "port", port, 1, 65535)
  if host == "" then
    arguments.raise("connect", 1, "host is empty; it takes an address or a name")
  end
  if host:find("[%z:]") then -- bindings would read what follows as the port
    arguments.raise("connect", 1, "field 'host' is neither an IPv4 address nor a name")
  end

  local unusable = type(token) == "string" and Credentials.unusable(token)
  if unusable then return nil, "unsupported: " .. unusable end
  local enet, reason = options.enet, nil
  if not enet then enet, reason = find_binding() end
  if not enet then return nil, reason end
  local socket = enet.host_create(nil, PEERS, 2)
  if not socket then return nil, "unavailable: cannot open a UDP socket" end

  local protect = protected(options.log)
  local own = setmetatable({ subscriptions = Subscriptions.new(protect),
    questions = Questions.new(protect), boards = BoardList.new(protect),
    credentials = Credentials.new(token, protect),
    clock = clock.steady(options.clock), ticking = false }, Owner)
  own.connection = Connection.new(socket, host, port, own.credentials, seed(), own)
  return setmetatable({ [PARTS] = own }, Client)
end

-- --- subscribing

-- Why a board, an n or a player is not valid; nil if they are.
local function refusal(board, view, n, player)
  if #board < 1 or #board > fields.BOARD_BYTES_MAX or board:find("\0", 1, true) then
    return ('out_of_range: "%s" is not a valid board name: 1 to %d bytes, none of them 0'):format(
      text.escaped(board, 64), fields.BOARD_BYTES_MAX)
  end
  if view == wire.TOP and (n < 1 or n > wire.TOP_MAX) then
    return ("out_of_range: a client may ask for 1 to %d entries, not %.14g"):format(wire.TOP_MAX, n)
  end
  if view == wire.AROUND and n > wire.AROUND_MAX then
    return ("out_of_range: a client may follow with 0 to %d entries each way, not %.14g"):format(
      wire.AROUND_MAX, n)
  end
  if not player then return nil end
  if player == "" then return "bad_player: the id is empty" end
  if #player > fields.PLAYER_BYTES_MAX then
    return ("bad_player: the id has %d bytes; at most %d are allowed"):format(#player,
      fields.PLAYER_BYTES_MAX)
  end
  if player:find("\0", 1, true) then
    return ('bad_player: the id "%s" contains a zero byte'):format(text.escaped(player, 64))
  end
end

-- How many subscriptions the client may have.
local function most_subscriptions(own)
  if own.connection.subscriptions then return own.connection.subscriptions end
  return own.credentials:may_be_gateway() and SUBSCRIPTIONS_OF_GATEWAY_MAX or SUBSCRIPTIONS_MAX
end

local function want(own, board, view, n, callback, player)
  local reason = refusal(board, view, n, player)
  if reason then return nil, reason end
  local most = most_subscriptions(own)
  if own.subscriptions:want(board, view, player or "", n, callback, most) then return true end
  return nil, ("out_of_range: a client may have %d subscriptions at most"):format(most)
end

---Calls back with the first n entries when they arrive and at each change. Calls back with nil and
---a reason (`unknown`) if the server does not publish the board. Subscribing again replaces n and
---the callback. If fewer than n entries are published, the list has these.
---@param board string
---@param n integer 1 to 100
---@param callback laurel.overlay.Callback
---@return true? subscribed
---@return string? reason out_of_range
function Client:subscribe(board, n, callback)
  local own = open_parts(self, "subscribe")
  arguments.check_type("subscribe", 1, board, "string")
  local count = arguments.check_count("subscribe", 2, n)
  arguments.check_type("subscribe", 3, callback, "function")
  return want(own, board, wire.TOP, count, callback)
end

---As subscribe, with the token's player and n entries above and below. At an end of the board the
---list slides; it is empty while the player is not ranked. Calls back once with nil and
---`unsupported` if the server knows no player for this client.
---@param board string
---@param n integer 0 to 10
---@param callback laurel.overlay.Callback
---@param player string? for gateways: the player to follow; others get `unsupported`
---@return true? followed
---@return string? reason out_of_range, bad_player
function Client:follow(board, n, callback, player)
  local own = open_parts(self, "follow")
  arguments.check_type("follow", 1, board, "string")
  local count = arguments.check_count("follow", 2, n)
  arguments.check_type("follow", 3, callback, "function")
  arguments.check_optional("follow", 4, player, "string")
  return want(own, board, wire.AROUND, count, callback, player)
end

---Ends all subscriptions to the board; with a player, only the follow of that player.
---@param board string
---@param player string?
---@return true
function Client:unsubscribe(board, player)
  local own = open_parts(self, "unsubscribe")
  arguments.check_type("unsubscribe", 1, board, "string")
  arguments.check_optional("unsubscribe", 2, player, "string")
  own.subscriptions:unwant(board, player)
  return true
end

-- --- what the server publishes, and which player a token belongs to

---The boards that the server publishes, as last heard; empty before that. The first call asks for
---them.
---@return table[]? boards as laurel.ListedBoard of laurel.d.lua
---@return string? reason unsupported: at a server of 0.1.0
function Client:boards()
  local own = open_parts(self, "boards")
  return own.boards:get(own.connection)
end

---Calls back with the published boards when they are known, and at each change; once with nil and
---`unsupported` at a server of 0.1.0. A second call replaces the callback.
---@param callback fun(boards: table[]?, reason: string?)
---@return true
function Client:on_boards(callback)
  local own = open_parts(self, "on_boards")
  arguments.check_type("on_boards", 1, callback, "function")
  own.boards:tell(callback)
  return true
end

---The player of the client's token; nil while it is not connected, and if the server knows none, or
---is of 0.1.0.
---@return string?
function Client:player()
  local connection = open_parts(self, "player").connection
  if connection.phase ~= "welcomed" or connection.player == "" then return nil end
  return connection.player
end

---For gateways: asks which player a token belongs to; spends no use. Calls back once, within 10 s,
---with the player; or with nil and why: unknown, unsupported, unavailable.
---@param token string
---@param callback fun(player: string?, reason: string?)
---@return true? asked
---@return string? reason out_of_range, unavailable
function Client:player_of(token, callback)
  local own = open_parts(self, "player_of")
  arguments.check_type("player_of", 1, token, "string")
  arguments.check_type("player_of", 2, callback, "function")
  if own.connection.phase == "refused" then
    return nil, "unavailable: " .. own.connection:state()
  end
  if #token < 1 or #token > wire.TOKEN_BYTES_MAX then
    return nil, ("out_of_range: a token of %d bytes; it takes 1 to %d"):format(#token,
      wire.TOKEN_BYTES_MAX)
  end
  if own.questions:ask(token, callback) then return true end
  return nil, ("unavailable: %d questions are not answered yet, the most allowed"):format(
    Questions.MAX)
end

-- --- every frame

local function serve(own)
  local connection, subscriptions = own.connection, own.subscriptions
  local now = own.clock()
  connection:serve(now)
  if connection.phase == "welcomed" then
    subscriptions:acknowledge(wire.UNSEQUENCED, connection)
    subscriptions:acknowledge(wire.RELIABLE, connection)
    subscriptions:reconcile(connection, now)
    own.boards:serve(connection, now)
  end
  own.questions:serve(connection, now)
  connection:flush()
  subscriptions:deliver()
  own.boards:deliver(connection)
  own.questions:deliver()
end

---Receives and sends, then calls back.
---@return true
function Client:tick()
  local own = open_parts(self, "tick")
  local phase = own.connection.phase
  if own.ticking or phase == "refused" then return true end
  own.ticking = true
  local served, why = pcall(serve, own)
  own.ticking = false
  if not served then error(why, 0) end
  return true
end

---"connecting", "connected", "refused: why" or "lost: why". A lost client connects again
---automatically.
---@return string
function Client:state()
  return open_parts(self, "state").connection:state()
end

---Disconnects. Any later call raises `closed`, except close().
---@return true
function Client:close()
  local own = parts(self, "close")
  own.connection:close()
  own.subscriptions:unwant_all()
  own.questions:close()
  own.boards.callback = nil
  return true
end

function Client:__tostring()
  return "client: " .. parts(self, "tostring").connection:state()
end

return overlay
