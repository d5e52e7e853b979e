---@meta laurel

-- Annotations for editors: the Lua twin of the library's headers. Nothing here is run.
--
-- Arguments of the wrong type raise. Values that cannot be taken are refused: the call returns nil
-- and a reason, "word: sentence", and changes nothing.

---The first word of a reason.
---@alias laurel.Word
---| "not_finite"     # a score or a bound that is no finite number
---| "bad_player"     # not 1 to 255 bytes, or with a zero byte
---| "bad_data"       # longer than 1,024 bytes
---| "out_of_range"   # a sum, a scaled score, a time or a count beyond what is allowed
---| "outside_window"
---| "not_joined"     # the board wants players to join first
---| "banned"
---| "rejected"       # by the board's rule
---| "taken"
---| "closed"         # outside the board's times
---| "unknown"        # no such board, ranking or publication
---| "unsupported"    # not in this version
---| "unavailable"    # a rule that never loaded, a port in use, a limit that is reached

---What a board holds of one player.
---@class laurel.Entry
---@field player string
---@field score number
---@field rank integer 1-based, in the board's ranking mode
---@field at number Unix seconds, UTC: when the score was attained
---@field data string? what came with it

---An entry among a few players.
---@class laurel.FriendEntry: laurel.Entry
---@field overall integer rank on the whole board; `rank` is among those listed

---What one submission did.
---@class laurel.Change
---@field player string
---@field board string
---@field score number now held
---@field previous number? held before
---@field rank integer
---@field previous_rank integer? nil for a new entry
---@field passed integer positions overtaken; by a new entry all behind it
---@field at number

---An entry as watches and clients see it.
---@class laurel.TopEntry
---@field player string
---@field name string? what the player is called
---@field score number
---@field rank integer
---@field at number? Unix seconds: when the score was attained; nil at clients
---@field data string?

---@class laurel.MovedEntry: laurel.TopEntry
---@field previous number the score before
---@field previous_rank integer

---What changed in the top of a board.
---@class laurel.WatchEvent
---@field board string
---@field version integer goes up with every change of the board
---@field top laurel.TopEntry[] as it is now
---@field entered laurel.TopEntry[]
---@field left laurel.TopEntry[] as they were, with their old rank
---@field moved laurel.MovedEntry[] with another score or rank

---@alias laurel.Ranking
---| "competition" # 1 2 2 4
---| "modified"    # 1 3 3 4
---| "dense"       # 1 2 2 3
---| "ordinal"     # 1 2 3 4

---What a board is. Fields left out have their defaults, or stay as they were.
---@class laurel.Spec
---@field engine "ranked"? stored order; default "ranked"
---@field order "desc"|"asc"? stored order; which scores win, high ones ("desc") or low ones
---@field keep "best"|"latest"|"sum"|"first"? stored order; default "best"
---@field ties "earliest"|"latest"|"player"|"player_desc"? stored order; who stands first among equals
---@field decimals integer|false|nil stored order; 0 to 9: scores are exact decimals
---@field ranking laurel.Ranking? default "competition"
---@field opens number|false|nil Unix seconds; before it submissions are refused with `closed`
---@field closes number|false|nil Unix seconds; from it on likewise
---@field join "open"|"required"? default "open"
---@field rule string|false|nil names a file of the rules directory, without ".lua"
---@field rule_failure "refuse"|"keep"? default "refuse"
---@field meta string|false|nil up to 4,096 bytes of the owner's own

---@class laurel.Info: laurel.Spec
---@field name string
---@field season integer
---@field size integer how many players are ranked
---@field created number Unix seconds
---@field started number Unix seconds: when the running season began
---@field rule_version string? of the version in force; nil while there is none

---@class laurel.OpenOptions
---@field rules string? directory of board rules, reloaded while the server runs
---@field clock (fun(): number)? returns now, in Unix seconds; default: the system's clock
---@field log (fun(level: "debug"|"info"|"warn"|"error", text: string))? default: standard error

---@class laurel.ServeOptions
---@field port integer? UDP, 0 to 65535; 0, the default, picks a free one
---@field bind string? an IPv4 address of this machine; default "127.0.0.1"
---@field clients integer? 1 to 4,000; default 1,024
---@field auth "open"|"token"? "open": anyone who reaches the port, the default on loopback; "token"
---  is the default beyond it, and not available in this version
---@field rate number? updates a second at most, per subscription; default 20
---@field checksum boolean? ENet's checksum, which clients must have set alike; default false

---@class laurel.PublishOptions
---@field top integer? how many entries clients may ask for, 1 to 100; default 100
---@field data boolean? whether entries carry their data; default false

---@class laurel.ConnectOptions
---@field host string? an IPv4 address or a name; default "127.0.0.1"
---@field port integer? UDP, 1 to 65535; default 7777
---@field checksum boolean? as the server has it; default false

---@class laurel
---@field version string "0.1.0"
---@field state table in hosted scripts: survives their reloading
local laurel = {}

---Opens boards in memory: gone with the process, or when nothing refers to them.
---@param options laurel.OpenOptions?
---@return laurel.Boards
function laurel.open(options) end

---Follows the boards of a server. Never waits: the connection is made by the client's ticks.
---@param options laurel.ConnectOptions?
---@return laurel.Client? client
---@return string? reason
function laurel.connect(options) end

---In hosted scripts: calls back when the host emits the event. Raises elsewhere.
---@param event string
---@param callback fun(...: number|string|boolean)
function laurel.on(event, callback) end

---In hosted scripts: tells the host. Raises elsewhere.
---@param event string
---@param ... number|string|boolean
function laurel.emit(event, ...) end

---In hosted scripts: calls back every so many seconds while ticking. Raises elsewhere.
---@param seconds number
---@param callback fun()
function laurel.every(seconds, callback) end

---All boards of a game. Closed when collected.
---@class laurel.Boards
local Boards = {}

---Opens a board that exists; with a spec, creates it or updates what the spec gives. A spec that can
---never work raises.
---@param name string 1 to 255 bytes, no zero byte
---@param spec laurel.Spec?
---@return laurel.Board? board
---@return string? reason unknown
function Boards:board(name, spec) end

---@return string[] names sorted by bytes
function Boards:names() end

---Deletes a board. Handles to it raise `dropped` from then on.
---@param name string
---@return boolean dropped false when there was none
function Boards:drop(name) end

---Once per server frame: reloads rules, runs watches, feeds the live channel. Inside a callback of
---its own it does nothing.
---@return true
function Boards:tick() end

---@return true
function Boards:flush() end

---Ends it. Any other call on it or its boards raises `closed` afterwards.
---@return true
function Boards:close() end

---One result to several boards, all or none, with one moment. A name twice raises.
---@param names string[]
---@param player string
---@param score number
---@param data string?
---@param at number?
---@return number[]? scores the scores held, as the names are given
---@return string? reason
---@return string? name of the board that refused
function Boards:submit(names, player, score, data, at) end

---On every board, those to come included.
---@param player string
---@return boolean? changed
---@return string? reason
function Boards:ban(player) end

---@param player string
---@return boolean? changed
---@return string? reason
function Boards:unban(player) end

---Removes every trace of a player.
---@param player string
---@return integer? entries how many went
---@return string? reason
function Boards:forget(player) end

---@param file string
---@return nil
---@return string reason unsupported
function Boards:export(file) end

---@param file string
---@return nil
---@return string reason unsupported
function Boards:import(file) end

---@param directory string
---@return nil
---@return string reason unsupported
function Boards:backup(directory) end

---Tries every file of the rules directory that a board uses again, changed or not.
---@return { rule: string, error: string }[] failures
function Boards:reload_rules() end

---@class laurel.Stats
---@field boards integer standing now
---@field players integer held by any board: entries, joins and bans
---@field entries integer of all boards together
---@field bytes integer memory of boards and players
---@field ticks integer since the opening
---@field watches integer standing now
---@field submissions integer results handed in, refused ones included
---@field changed integer of those, that changed an entry
---@field refused integer of those, refused
---@field changes_dropped integer changes that no rule heard of, since too many waited for a tick
---@field rules_judged integer submissions that a rule saw
---@field rules_rejected integer of those, refused by the rule's own word
---@field rules_failed integer of those, refused since the rule failed
---@field rules_loaded integer versions of rules that came into force
---@field rules_load_failed integer versions that did not

---@return laurel.Stats
function Boards:stats() end

---Serves boards to clients over ENet, from a thread of its own. The server lives until the handle is
---closed or the boards are.
---@param options laurel.ServeOptions?
---@return laurel.Live? live
---@return string? reason unavailable
function Boards:serve(options) end

---One leaderboard. Handles to the same board are equal.
---@class laurel.Board
local Board = {}

---The board's rule, then `keep`.
---@param player string 1 to 255 bytes; never a number, ids lose digits as numbers
---@param score number
---@param data string? at most 1,024 bytes
---@param at number? Unix seconds within 2^33; default: now
---@return number? score the score now held
---@return boolean|string changed whether the entry is another than before; or the reason
function Board:submit(player, score, data, at) end

---Adds to the held score, or to 0, whatever `keep` says.
---@param player string
---@param delta number
---@param data string?
---@param at number?
---@return number? score
---@return boolean|string changed
function Board:add(player, delta, data, at) end

---A moderator's word: neither rule nor `keep`.
---@param player string
---@param score number
---@param data string?
---@param at number?
---@return number? score
---@return boolean|string changed
function Board:set(player, score, data, at) end

---As submit, and tells what it did. Costs two ranks more.
---@param player string
---@param score number
---@param data string?
---@param at number?
---@return laurel.Change? change
---@return string? reason
function Board:submit_report(player, score, data, at) end

---Items `{ player, score [, data [, at]] }` in order. A wrong type raises before any is submitted.
---@param list table[]
---@return integer changed how many entries changed
---@return { index: integer, reason: string }[] refused
function Board:submit_all(list) end

---Takes the entry off.
---@param player string
---@return boolean? removed
---@return string? reason
function Board:remove(player) end

---Takes every entry off.
---@return integer entries how many
function Board:clear() end

---Lets a player in where `join = "required"`; with a score, submits it too.
---@param player string
---@param score number?
---@return boolean? joined false when already in
---@return string? reason
function Board:join(player, score) end

---Lets a player go and takes the entry off.
---@param player string
---@return boolean? left
---@return string? reason
function Board:leave(player) end

---Hides the entry and refuses the player.
---@param player string
---@return boolean? changed
---@return string? reason
function Board:ban(player) end

---Brings back the entry as it was.
---@param player string
---@return boolean? changed
---@return string? reason
function Board:unban(player) end

---@return string[] players sorted by bytes
function Board:banned() end

---How many players are ranked.
---@return integer
function Board:size() end

---@param player string
---@return laurel.Entry?
function Board:get(player) end

---The score, without making a table.
---@param player string
---@return number?
function Board:score(player) end

---"211th of 1539", without making a table.
---@param player string
---@param ranking laurel.Ranking? default: the board's
---@return integer? rank
---@return integer|string|nil size or, for a ranking that is unknown, the reason
function Board:rank(player, ranking) end

---The rank that a newcomer with this score would have now.
---@param score number
---@return integer? rank
---@return string? reason
function Board:rank_of(score) end

---100 x (players ranked strictly worse) / size.
---@param player string
---@return number?
function Board:percentile(player) end

---How many scores are in [low, high]; nil and infinity are open.
---@param low number?
---@param high number?
---@return integer? count
---@return string? reason not_finite
function Board:count(low, high) end

---The first n, best first. Below 1: none.
---@param n integer
---@return laurel.Entry[]
function Board:top(n) end

---The last n, worst first.
---@param n integer
---@return laurel.Entry[]
function Board:bottom(n) end

---n entries from a position on.
---@param first integer 1-based
---@param n integer
---@return laurel.Entry[]
function Board:page(first, n) end

---The player between n above and n below; at an end the window slides. Empty when not ranked.
---@param player string
---@param n integer
---@return laurel.Entry[]
function Board:around(player, n) end

---Entries with a score in [low, high], best first.
---@param low number?
---@param high number?
---@param limit integer?
---@return laurel.Entry[]? entries
---@return string? reason not_finite
function Board:between(low, high, limit) end

---Those of the players who are ranked, best first.
---@param players string[]
---@return laurel.FriendEntry[]
function Board:among(players) end

---Walks over the entries from a position on. The board may change meanwhile.
---@param first integer? 1-based
---@return fun(): laurel.Entry?
function Board:each(first) end

---The spec as it stands, and what became of the board.
---@return laurel.Info
function Board:info() end

---Calls back at tick when the top n changed. An error in the function is logged.
---@param n integer at most 1,000
---@param callback fun(event: laurel.WatchEvent)
---@return fun()? stop ends the watch
---@return string? reason out_of_range, unavailable
function Board:watch(n, callback) end

---A server of boards to clients.
---@class laurel.Live
local Live = {}

---Shows a board from now on. Publishing again changes the options.
---@param board laurel.Board
---@param options laurel.PublishOptions?
---@return true? published
---@return string? reason unavailable
function Live:publish(board, options) end

---@param board laurel.Board
---@return boolean unpublished false when it was not published
function Live:unpublish(board) end

---The UDP port that is listened on.
---@return integer
function Live:port() end

---@class laurel.LiveStats
---@field clients integer connected now, those before their hello included
---@field boards integer published now
---@field subscriptions integer now, those to boards that are not published included
---@field sent integer messages queued for the network
---@field bytes integer in them, without the headers of ENet and UDP
---@field received integer messages of clients
---@field encoded integer states encoded: the rest of those sent were shared
---@field resyncs integer clients that had to begin anew
---@field dropped integer messages the network would not take, and posts beyond a limit
---@field offences integer messages of clients that were damaged or not allowed
---@field garbage integer datagrams dropped before ENet saw them
---@field closed integer sessions that the server ended: slow, late, abuse

---@return laurel.LiveStats
function Live:stats() end

---Says bye to all clients and ends the server; the boards go on.
---@return true
function Live:close() end

---A follower of another server's boards. Its callbacks run in tick.
---@class laurel.Client
local Client = {}

---Calls back with the first n entries at once and at each change, or with nil and a reason
---(`unknown`) while the server publishes no such board. Subscribing again replaces n and callback.
---@param board string
---@param n integer 1 to 100
---@param callback fun(top: laurel.TopEntry[]?, size: integer|string, version: integer?)
---@return true? subscribed
---@return string? reason out_of_range
function Client:subscribe(board, n, callback) end

---@param board string
---@return true
function Client:unsubscribe(board) end

---Serves the connection, then calls back. Never waits.
---@return true
function Client:tick() end

---"connecting", "connected", "refused: why" or "lost: why". A lost client connects again by itself.
---@return string
function Client:state() end

---Leaves. Any other call raises `closed` afterwards.
---@return true
function Client:close() end

return laurel
