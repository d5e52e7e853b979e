---@meta laurel

-- Annotations for editors: the Lua counterpart of the library's headers. This file is never run.
--
-- An argument of the wrong type raises an error. A value that is not accepted is refused: the call
-- returns nil and a reason, "word: sentence", and changes nothing.

---The first word of a reason.
---@alias laurel.Word
---| "not_finite"     # a score or a bound is not a finite number
---| "bad_player"     # not 1 to 255 bytes, or with a zero byte
---| "bad_data"       # longer than 1,024 bytes; the id of a result, a name, email, game or session id that is not valid; a damaged line
---| "out_of_range"   # a sum, a scaled score, a time or a count is outside its range
---| "outside_window" # rolling board: activity before the window or later than now; a read before the window
---| "not_joined"     # the board requires players to join first
---| "banned"
---| "rejected"       # by the board's rule
---| "taken"          # the email of another player; a board or player of an import that exists already; a directory in use
---| "closed"         # outside the board's times, or a season that has ended
---| "unknown"        # no such board, ranking or publication
---| "unsupported"    # this engine or this version cannot do it
---| "unavailable"    # a remote is down or does not answer, the disk fails, a rule never loaded or is switched off, a port is in use, a limit is reached
---| "exhausted"      # the player has no attempts left in this season
---| "full"           # the board has its `capacity` of players

---A score that is handed in: a number; on a board with `columns` an array of a number for each, in their order, or
---a table of them by name. What a call returns or passes as a score is typed as a number here; on such a board it
---is an array, except that `board:score` returns a number for each column.
---@alias laurel.Score number|number[]|table<string, number>

---A player's entry on a board.
---@class laurel.Entry
---@field player string
---@field score number
---@field rank number 1-based, in the board's ranking mode; whole, except with "fractional"
---@field at number Unix seconds, UTC: when the score was attained
---@field data string? the data submitted with it
---@field name string? of `save_player`; nil if the player has none, or if it is in a remote and not read yet
---@field with table<string, number>? of a read with `with`: the scores that the player holds on those boards
---@field overall number? of a read with `overall`: the rank on the whole board
---@field rank_change number? how many ranks the player climbed since the board's last mark, negative: fell; nil if the
---  player was not ranked then, or there was no mark

---An entry of Board:among, with its rank among the given players.
---@class laurel.FriendEntry: laurel.Entry
---@field overall number rank on the whole board; `rank` is the rank among the given players

---The effect of one submission.
---@class laurel.Change
---@field player string
---@field board string
---@field score number? now held; nil if a capped board does not show the player
---@field previous number? held before
---@field rank number? nil if a capped board does not show the player
---@field previous_rank number? nil for a new entry
---@field passed integer positions overtaken; for a new entry, all behind it
---@field at number

---An entry in the list of a watch or a client.
---@class laurel.TopEntry
---@field player string
---@field name string? the player's display name
---@field score number
---@field rank number
---@field at number? Unix seconds: when the score was attained; nil in clients of a server of 0.1.0
---@field data string?
---@field rank_change number? as in laurel.Entry; in clients only if the board is published with `changes`

---@class laurel.MovedEntry: laurel.TopEntry
---@field previous number the score before
---@field previous_rank number

---The changes in the top of a board.
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
---| "fractional"  # 1 2.5 2.5 4: the mean of the positions of the equals
---| "ordinal"     # 1 2 3 4

---@alias laurel.Engine
---| "capped"  # the first `cap` entries, in memory
---| "ranked"  # all entries, in memory, in a counted B+tree
---| "padded"  # all entries, in the store, under keys that sort in score order
---| "paged"   # all entries, in the store, as entry sets under manifests
---| "sharded" # partitions by a hash of the player
---| "rolling" # activity in the last buckets of time
---| "combined" # made from several other boards: read-only
---| "groups"  # made from one board: its players are the values of an attribute: read-only

---The buckets that a rolling board counts; the last one is the current one.
---@class laurel.Window
---@field buckets integer? 1 to 366; default 7
---@field seconds number? length of each; default 86,400

---A column of a score. All columns of a board take at most 63 bits. A column takes the bits of max - min, scaled
---by its decimals.
---@class laurel.Column
---@field name string 1 to 32 letters, digits and "_"
---@field order "desc"|"asc"|nil whether high or low values win; default "desc"
---@field decimals integer? 0 to 9; default 0
---@field min number? the least value that may be held; default 0
---@field max number? the largest one; default 999,999,999

---The settings of a board. An omitted field has its default, or keeps its value.
---@class laurel.Spec
---@field engine laurel.Engine? stored order; default "ranked"
---@field order "desc"|"asc"? stored order; which scores win, high ones ("desc") or low ones. groups: the source's
---@field keep "best"|"latest"|"sum"|"first"? stored order; default "best"
---@field ties "earliest"|"latest"|"player"|"player_desc"? stored order; which of two equal scores is first
---@field decimals integer|false|nil stored order; 0 to 9: scores are exact decimals. groups: the source's; a "mean"
---  may have others
---@field columns laurel.Column[]|false|nil stored order; 2 to 5 columns: scores are arrays, compared column by column.
---  `order` is that of the first, and there are no `decimals` and `digits`. Not for rolling boards. All columns of a
---  board in Redis take at most 53 bits together
---@field ranking laurel.Ranking? default "competition"
---@field cap integer? capped: how many are shown; default 10
---@field reserve integer? capped: how many more are kept hidden; default `cap`
---@field digits integer? padded: stored order; width of the key, 1 to 15; default 10
---@field shards integer? sharded: stored order; partitions, 1 to 1,024; default 8
---@field of "ranked"|"padded"|"paged"|nil sharded: stored order; the engine of each; default "ranked"
---@field days integer? rolling: stored order; 1 to 366, default 7; short for a window of days
---@field window laurel.Window? rolling: stored order
---@field reset string|false|nil five-field cron in `zone`: when a season ends
---@field zone string? an IANA zone, such as "Europe/Berlin", in which `reset`, `marks` and `days` are meant;
---  default "UTC". Of a rolling board stored order
---@field duration number|false|nil needs `reset`: for how many seconds, above 0 and up to 366 days, a
---  season takes results from its start on; then they are refused with `closed` until the next reset.
---  Such a season begins at the last time when `reset` was due
---@field archive integer? how many past seasons are kept; default 1
---@field opens number|false|nil Unix seconds; before it submissions are refused with `closed`
---@field closes number|false|nil Unix seconds; from it on submissions are refused with `closed`
---@field join "open"|"required"? default "open"
---@field attempts integer|false|nil 1 to 2^53: how many results of a player are taken in a season; then they are
---  refused with `exhausted`. Counted from when it is set; `false` drops the counts and grants
---@field capacity integer|false|nil 1 to 2^53: how many players may be on the board; one more is refused with
---  `full`. Not for capped and rolling boards
---@field remote string|nil stored order; names a remote of `laurel.open`: the board is stored there,
---  and is shared by every server that names it
---@field rule string|false|nil names a file of the rules directory, without ".lua"
---@field rule_failure "refuse"|"keep"? while the rule is switched off, after 100 failures in a row:
---  "refuse", the default, refuses with `unavailable`; "keep" applies `keep`
---@field meta string|false|nil any text of up to 4,096 bytes
---@field history integer? how many accepted results of each player are kept, 0 to 100; default 0. Not for capped
---  and rolling boards
---@field journal integer? how many of the latest submissions are kept in memory to rehearse rules on, 0 to 100,000;
---  default 0
---@field marks string|false|nil five-field cron in `zone`: when the order is remembered, for `rank_change` and
---  Board:since. ranked, capped, and sharded of ranked
---@field sources string|string[]|nil combined: stored order; the boards that it is made from: names, or a pattern in
---  which "*" stands for any bytes. Local boards of engine "ranked", or "sharded" of "ranked", for "count" and
---  "firsts" also "capped"; without columns, for "sum" with decimals
---@field take "sum"|"ratio"|"count"|"firsts"|"mean"|"best"|nil stored order; default "sum". combined: the weighted
---  sum; the score on the first source divided by that on the second; on how many sources the player is listed; on
---  how many the player is first. groups: the "sum" or "mean" of the members' scores, or the "best" member's score
---@field weights number[]? "sum" of named sources: stored order; a number for each; default 1 each
---@field least number? stored order. "ratio": the least second score; default the smallest above 0. groups: how
---  many members a group has at least to be listed; default 1
---@field source string? groups: stored order; the name of the board that it is made from: a local one of engine
---  "ranked", or "sharded" of "ranked"; without columns unless take = "best", for "sum" and "mean" with decimals
---@field group string? groups: stored order; the attribute of players whose values are the groups
---@field best integer|false|nil groups, "sum" and "mean": stored order; 1 to 100: how many of the best members count;
---  default: all
---@field segments string[]|string|false|nil 1 to 4 attributes of players: for each of their values an order of the
---  players who have it, for Board:segment. ranked, and sharded of ranked
---@field cohorts integer|laurel.CohortSize|false|nil 2 to 1,000: players fill cohorts of this size, in the order of their
---  first results of a season, for Board:cohort. ranked, and sharded of ranked

---How players are divided into cohorts.
---@class laurel.CohortSize
---@field size integer 2 to 1,000
---@field by string? an attribute of players: each of its values has cohorts of its own, and so have players without it

---A value of an attribute, and how many players of a board have it.
---@class laurel.SegmentSize
---@field value string
---@field size integer

---A ranked player now and at the last mark.
---@class laurel.Since
---@field rank number
---@field previous_rank number? nil if the player was not ranked at the mark
---@field score number
---@field previous number? the score at the mark
---@field mark number? Unix seconds: when the mark was set; nil if there was none

---A result of a player that was accepted.
---@class laurel.Result
---@field by "submit"|"add"|"set"|"join"
---@field score number as it was handed in, rounded to `decimals`
---@field held number what the player held after it
---@field at number Unix seconds
---@field data string?
---@field rule_version string? of the rule that accepted it

---What another rule would do with the submissions of a journal.
---@class laurel.Rehearsal
---@field judged integer accepted + refused + failed
---@field same integer with the score that they had, or refused as they were
---@field accepted integer
---@field refused integer
---@field failed integer the rule raised, spent its budget, or returned nonsense
---@field examples laurel.RehearsalExample[] the first 100 with another outcome, oldest first

---@class laurel.RehearsalExample
---@field player string
---@field submitted number
---@field was number|string the score, or the reason
---@field now number|string

---@class laurel.Info: laurel.Spec
---@field name string
---@field season integer the running one, or the past one that the handle reads
---@field size integer how many players are ranked
---@field created number Unix seconds
---@field started number Unix seconds: when the season began
---@field ended number? of a past season: when its end was due
---@field resets_at number? when the running season ends; nil: never by itself
---@field closes_at number? with `duration`: until when the running season takes results
---@field rule_version string? of the version in force; nil if there is none, or the rule is switched off

---@class laurel.RemoteState
---@field state string "up", or "down: " and why; also "down" if the spec in the remote differs from the one given here
---@field pending integer posts that are not acknowledged yet
---@field refused integer posts that a rule or the remote refused, since these boards were opened
---@field oldest number? seconds that the oldest of them has waited
---@field round_trip number? seconds, smoothed over the latest answers; nil: no answer yet

---@class laurel.AtOptions
---@field at number? rolling: Unix seconds; the board as it will be then if nothing more is written

---@class laurel.WithOptions
---@field with string[]? names of up to 16 local boards: each entry carries the player's scores there. Raises if
---  there is no such board

---@class laurel.EntryOptions: laurel.WithOptions
---@field overall boolean? whether entries carry `overall`, the rank on the whole board: for segments and cohorts

---@class laurel.ListOptions: laurel.AtOptions, laurel.EntryOptions

---@class laurel.TopOptions: laurel.ListOptions
---@field confidence number? sharded: reads each shard only once, enough to be exact with this probability

---@class laurel.Layout
---@field layers integer objects between the top of the tree and an entry
---@field manifests integer
---@field entry_sets integer
---@field lowest number? the last entry's score; nil if there is none

---@class laurel.PlayerFields
---@field id string 1 to 255 bytes, no zero byte
---@field name string? 1 to 255 bytes
---@field email string? 1 to 255 bytes; belongs to one player only
---@field attributes table<string, string|false>? names of 1 to 64 bytes, values of 1 to 255 bytes without a zero byte;
---  those given are set, `false` takes one off; a player has at most 16

---@class laurel.Player
---@field id string
---@field name string?
---@field email string?
---@field attributes table<string, string> a copy; empty if there are none
---@field lifetime_score number of all sessions
---@field games_played integer sessions
---@field created_at number Unix seconds
---@field updated_at number Unix seconds

---@class laurel.ScoreOf
---@field board string
---@field season integer the running one
---@field score number
---@field rank number
---@field at number Unix seconds

---@class laurel.NewSession
---@field player string
---@field game string 1 to 255 bytes, no zero byte
---@field score number
---@field seconds number duration of the session
---@field data string? at most 1,024 bytes
---@field at number? Unix seconds; default: now
---@field id string? a ULID; if it was recorded before, nothing changes; default: a new one

---@class laurel.Session: laurel.NewSession
---@field id string 26 characters that sort by time
---@field at number

---@class laurel.OpenOptions
---@field path string? a directory in which everything is kept, created if it is missing; default: in memory.
---  It belongs to one registry of one process at a time
---@field durability "tick"|"always"|"none"? with a path. "tick", the default: each tick's writes are
---  one transaction, on the disk soon after; "always": a write returns when it is on the disk;
---  "none": when the system writes it back; a power failure may destroy the file
---@field rules string? directory of board rules, reloaded while the server runs
---@field clock (fun(): number)? returns the current time, in Unix seconds; default: the system's clock
---@field remotes table<string, string>? URLs by name, of 1 to 64 letters, digits, "_" or "-":
---  "redis://host:port,host:port", "rediss://host:port?ca=FILE" over TLS, "dynamodb://region/table". They store
---  boards that many servers share.
---  Built with LAUREL_REMOTES=OFF, a board that names one is refused with `nil, "unsupported: …"`
---@field players string? names a remote of DynamoDB in `remotes`: players and sessions are stored there, for
---  all servers that name it, and their calls wait, inside `laurel.task`. Entries show their names as last
---  read: up to 30 s old if another server changed them, or 10 minutes in lists that do not change; default: local
---@field remote_timeout number? seconds to wait for an answer of a remote, above 0 to 60; default 2
---@field log (fun(level: "debug"|"info"|"warn"|"error", text: string))? default: standard error
---@field metrics string? a file for Prometheus, in a directory that exists: see Boards:metrics
---@field metrics_seconds number? how often it is written, 1 to 3600; default 15
---@field control boolean? with a path: true, the default, and the command `laurel` may ban players and correct scores,
---  through a socket in the directory that tick serves; false: no socket

---@class laurel.ServeOptions
---@field port integer? UDP, 0 to 65535; 0, the default, picks a free one
---@field bind string? an IPv4 address of this machine, or "0.0.0.0"; default "127.0.0.1"
---@field clients integer? 1 to 4,000; default 1,024
---@field clients_per_address integer? clients of one IPv4 address, 1 to 4,000; default a quarter of `clients`
---  with `auth = "open"`, all of them with tokens. Behind a proxy all clients have its address
---@field auth "open"|"token"? which clients may connect: all that reach the port, the default on loopback;
---  or those with a token of `live:token`, the default on other addresses
---@field rate number? updates a second at most, per subscription; default 20
---@field checksum boolean? ENet's checksum; clients must set the same; default false

---@class laurel.PublishOptions
---@field top integer? how many entries clients may ask for, 1 to 100; default 100
---@field data boolean? whether entries carry their data; default false
---@field changes boolean? whether entries carry `rank_change`, if the board has marks; default false

---@class laurel.ConnectOptions
---@field host string? an IPv4 address or a name; default "127.0.0.1"
---@field port integer? UDP, 1 to 65535; default 7777
---@field checksum boolean? the same as the server; default false
---@field token (string|fun(): string?, string?)? of `live:token`, or a function that returns one. It
---  is called in tick whenever a token is needed, and may return nil and why there is none yet. A text that
---  is not a token counts as no token

---@class laurel.TokenOptions
---@field uses integer? how many connections may begin with it, 1 to 1,000,000; default 1
---@field clear boolean? its connections are not encrypted: for clients of 0.1.0 and those in pure Lua

---@class laurel.GatewayTokenOptions
---@field clear boolean? its connections are not encrypted: for gateways in pure Lua

---@class laurel
---@field version string "0.2.0"
---@field state table in hosted scripts: survives their reloads
local laurel = {}

---Opens the boards of a directory, which blocks on the disk; or boards in memory, which are lost when
---they are collected or the process ends. Raises if the directory is open already, the file is damaged
---or of a newer version, or the disk fails.
---@param options laurel.OpenOptions?
---@return laurel.Boards
function laurel.open(options) end

---Connects to a server's boards. Never blocks: the client's ticks make the connection.
---@param options laurel.ConnectOptions?
---@return laurel.Client? client
---@return string? reason
function laurel.connect(options) end

---Runs the function as a task: now, until it ends or a call waits for a remote. A later tick resumes it
---with the answer. An error is logged with its traceback. Handlers and timers of hosted scripts are
---tasks already; callbacks of watches and clients are not, but may start tasks. In plain Lua 5.1 a
---task cannot wait inside pcall, metamethods and iterators of `for`.
---@param fn fun(...: any)
---@param ... any
function laurel.task(fn, ...) end

---Hosted scripts only: calls back when the host emits the event. Raises in other scripts.
---@param event string
---@param callback fun(...: number|string|boolean)
function laurel.on(event, callback) end

---Hosted scripts only: sends an event to the host. Raises in other scripts.
---@param event string
---@param ... number|string|boolean
function laurel.emit(event, ...) end

---Hosted scripts only: calls back every `seconds` seconds, in ticks. Raises in other scripts.
---@param seconds number
---@param callback fun()
function laurel.every(seconds, callback) end

---All boards of a game. Collection closes them.
---@class laurel.Boards
local Boards = {}

---Opens an existing board. With a spec, creates the board or updates the given fields. Raises if the
---spec is not valid.
---@param name string 1 to 255 bytes, no zero byte
---@param spec laurel.Spec?
---@return laurel.Board? board
---@return string? reason unknown; unsupported: sums on a capped board; unavailable
function Boards:board(name, spec) end

---@return string[] names sorted by bytes
function Boards:names() end

---Deletes a board. Its handles raise `dropped` from then on. A remote board is deleted for all servers;
---that call waits, so make it inside `laurel.task`.
---@param board laurel.Board|string or its name
---@return boolean? dropped false if there was none
---@return string? reason unavailable; closed: a past season
function Boards:drop(board) end

---Call it once per server frame: reloads rules, runs watches, updates the live channel, and passes
---writes to the disk's writer thread. Never blocks, except under durability "always" after a handler of a
---season's end. Does nothing inside its own callbacks; inside such a handler it raises.
---@return true
function Boards:tick() end

---Blocks until all writes made so far are on the disk.
---@return true? flushed
---@return string? reason unavailable
function Boards:flush() end

---Flushes, then closes, even if the flush fails. Any later call on this object or its boards raises
---`closed`.
---@return true? flushed
---@return string? reason unavailable
function Boards:close() end

---Submits one result to several boards, with one time: to all or none. Raises if a name occurs twice. If the
---score has names of columns, each board takes its own; all of them need columns then.
---@param names string[]
---@param player string
---@param score laurel.Score
---@param data string?
---@param at number?
---@param id string? of the result, 1 to 64 bytes: each board takes it once in 24 hours
---@return (number|false)[]? scores in the order of the names; false if a board does not show the player
---@return string? reason
---@return string? name of the board that refused
function Boards:submit(names, player, score, data, at, id) end

---Submits one event with a score for each board, by each board's own rule and `keep`, with one time: to all or
---none. If several would refuse, the first by name does.
---@param player string
---@param scores table<string, laurel.Score> by name of the board
---@param data string?
---@param at number?
---@param id string? of the result, 1 to 64 bytes: each board takes it once in 24 hours
---@return table<string, number|false>? held by name; false if a capped board does not show the player
---@return string? reason
---@return string? name of the board that refused
function Boards:submit_each(player, scores, data, at, id) end

---Bans the player on all boards, including future ones.
---@param player string
---@return boolean? changed
---@return string? reason
function Boards:ban(player) end

---@param player string
---@return boolean? changed
---@return string? reason
function Boards:unban(player) end

---A season that ended, as a handler gets it.
---@class laurel.EndedSeason
---@field id string no other season has it, in any registry; it is the same for each name and each try
---@field board string
---@field season integer
---@field started number Unix seconds
---@field ended number Unix seconds: when its end was due
---@field size integer how many players were ranked
---@field standings laurel.Board the past season; raises `dropped` when it is no longer kept

---Calls the handler in a tick for each season that ends on a board from now on, once: what it writes
---to boards, players and sessions and the note that it is done are one transaction. For a season of a remote
---board one of the servers calls it, in a task; if that server dies, another one does. The name stays
---registered after a restart; register its handler again then. The same name again replaces the handler.
---If the handler raises, the error is logged, and it is called again after 1 s, then 2, up to 60; what it
---wrote stays. It may call everything except `tick` and `close`; `flush` and `backup` are refused in it.
---@param name string 1 to 255 bytes, no zero byte
---@param handler fun(season: laurel.EndedSeason)
---@return fun()? stop ends the calls in this process; the name stays registered
---@return string? reason bad_data; unavailable
function Boards:on_season_end(name, handler) end

---Ends a name of `on_season_end` for good, with the ends that it is not done with.
---@param name string
---@return boolean? forgotten false if there is none
---@return string? reason unavailable
function Boards:forget_season_end(name) end

---Season ends that are not done, oldest first. `tries` and `error` are of this process; `tries` is 0 before
---the first.
---@return { name: string, board: string, season: integer, tries: integer, error: string? }[] ends
function Boards:season_ends() end

---Erases all data of a player.
---@param player string
---@return integer? entries how many were removed
---@return string? reason
function Boards:forget(player) end

---Moves everything of a player to an id that has nothing yet: entries with their times, past seasons, joins,
---bans, profile, sessions and live tokens.
---@param from string
---@param to string
---@return boolean? renamed false if `from` has nothing
---@return string? reason taken: `to` has something; bad_player; unsupported: boards or players are in a remote;
---  unavailable
function Boards:rename_player(from, to) end

---Writes all boards, seasons, players and sessions as JSON lines. Blocks on the disk.
---@param file string
---@return true? exported
---@return string? reason unavailable; the file is as it was
function Boards:export(file) end

---Reads the file of an export. Blocks on the disk.
---@param file string
---@return true? imported
---@return string? reason taken, bad_data (which names the line), unavailable; nothing has changed
function Boards:import(file) end

---Creates or updates the player. Omitted fields keep their values. If `players` of laurel.open names a
---remote, this call and the others about players and sessions wait: make them inside `laurel.task`. They
---may then also be refused with `unavailable`.
---@param fields laurel.PlayerFields
---@return true? saved
---@return string? reason taken, bad_player, bad_data, unavailable
function Boards:save_player(fields) end

---@param id string
---@return laurel.Player?
function Boards:player(id) end

---@param email string
---@return laurel.Player?
function Boards:player_by_email(email) end

---The player's current score and rank on each local board, sorted by the boards' names; if `players`
---of laurel.open names a remote, on each board of that remote too.
---@param player string
---@return laurel.ScoreOf[]
function Boards:scores_of(player) end

---Records a session and adds it to the player's lifetime score and games. Creates the player if needed.
---@param session laurel.NewSession
---@return string? id
---@return string? reason bad_player, bad_data, not_finite, out_of_range
function Boards:record_session(session) end

---@param player string
---@param limit integer? default 100
---@param before string? lists the sessions before this session's id
---@return laurel.Session[] sessions newest first
function Boards:sessions_of(player, limit, before) end

---@param game string
---@param limit integer? default 100
---@param before string? lists the sessions before this session's id
---@return laurel.Session[] sessions newest first
function Boards:sessions_in(game, limit, before) end

---@param player string
---@param id string
---@return laurel.Session? session nil also if it is another player's
function Boards:session(player, id) end

---Writes a consistent copy of the boards' directory to another one, which laurel.open can open. Blocks
---on the disk.
---@param directory string created if it is missing; must not hold boards yet
---@return true? written
---@return string? reason taken; unavailable; unsupported: in memory there is nothing to copy
function Boards:backup(directory) end

---Reloads every file of the rules directory that a board uses, changed or not.
---@return { rule: string, error: string }[] failures
function Boards:reload_rules() end

---@class laurel.Stats
---@field boards integer open now
---@field players integer held by any board: entries, joins and bans
---@field entries integer of all boards together
---@field bytes integer memory of boards, players and the store
---@field store_entries integer keys in the store: of padded and paged boards, players and sessions
---@field store_bytes integer memory of the store; part of `bytes`
---@field reclaiming integer engines of dropped boards and seasons that ticks are still freeing
---@field submissions_waiting integer submissions that changed something and are not on the disk yet
---@field disk_bytes_waiting integer memory of what is not on the disk yet; above 256 MB writes are refused
---@field disk_seconds_waiting number age of the oldest write that is not on the disk
---@field disk_transactions integer transactions that succeeded
---@field disk_failures integer transactions that failed
---@field disk_file_bytes integer size of the file
---@field ticks integer since the opening
---@field slices_put_off integer kinds of work that a tick left to the next one, because its time was used up
---@field season_ends_waiting integer ends of seasons that a name is not done with, once for each name
---@field season_ends_told integer ends told to a name, which is done with them
---@field season_ends_failed integer calls of handlers that raised
---@field season_ends_lost integer ends not told, since too many past seasons waited
---@field watches integer active now
---@field submissions integer results submitted, refused ones included
---@field changed integer submissions that changed an entry
---@field refused integer submissions that were refused
---@field changes_dropped integer changes not passed to the board's rule: 65,536 were waiting
---@field entries_read integer rows fetched by scans and gathers
---@field objects_read integer entry sets, manifests and players' rows read, cached or not
---@field objects_loaded integer objects read that were fetched from the store
---@field objects_written integer entry sets and manifests written back
---@field gather_rounds integer requests that went to all shards of a board at once
---@field rules_judged integer submissions that a rule judged
---@field rules_rejected integer submissions that the rule rejected
---@field rules_failed integer submissions refused because the rule failed
---@field rules_unavailable integer submissions refused because no version of the rule was in force
---@field rules_bypassed integer submissions decided by `keep` because their rule was switched off
---@field rules_off integer rules that are switched off now, after 100 failures in a row
---@field rules_loaded integer versions of rules that were loaded
---@field rules_load_failed integer versions of rules that did not load

---@return laurel.Stats
function Boards:stats() end

---What is measured, as text in the exposition format of Prometheus: counters, gauges, and histograms of ticks, commits
---and rules. Visits every board. The file that `laurel.open { metrics = ... }` names has the same, as of a tick.
---@return string text
function Boards:metrics() end

---Serves boards to clients over ENet, from its own thread, until the handle or the boards are closed.
---@param options laurel.ServeOptions?
---@return laurel.Live? live
---@return string? reason unavailable
function Boards:serve(options) end

---A local or remote leaderboard, or a past season of it, which is read-only: writes return nil, "closed: ...".
---Handles to the same board and season are equal. All calls on a remote board wait and must be made
---inside `laurel.task`, except `post`, `remote`, `watch` and, mostly, `fetch_size`.
---@class laurel.Board
local Board = {}

---Submits a score: applies the board's rule, then `keep`. A result whose id this board accepted within the
---last 24 hours changes nothing: the answer is the score held now, and false.
---@param player string 1 to 255 bytes; never a number, ids lose digits as numbers
---@param score laurel.Score
---@param data string? at most 1,024 bytes
---@param at number? Unix seconds within 2^33; default: now
---@param id string? of the result, 1 to 64 bytes, that the caller chooses: it counts once
---@return number? score the score now held; nil, false if the board does not show the player
---@return boolean|string changed whether the entry changed; or the reason
function Board:submit(player, score, data, at, id) end

---Submits without waiting, inside or outside of a task. On a remote board the result is kept until the
---remote acknowledges it, and counts exactly once and in order, despite outages and restarts. A later
---refusal is logged. On a local board it is `submit`.
---@param player string
---@param score laurel.Score
---@param data string?
---@param at number?
---@param id string? as in submit
---@return boolean|number|nil kept true; on a local board the score now held
---@return boolean|string? reason
function Board:post(player, score, data, at, id) end

---Adds to the held score, or to 0, regardless of `keep`. On a rolling board it records activity; a
---negative delta retracts some.
---@param player string
---@param delta laurel.Score
---@param data string?
---@param at number?
---@param id string? as in submit
---@return number? score
---@return boolean|string changed
function Board:add(player, delta, data, at, id) end

---Sets the score, for moderators: ignores the rule, `keep`, `opens`, `closes`, `duration`, `attempts` and
---`capacity`. Bans and `join` still apply. Unsupported on rolling boards.
---@param player string
---@param score laurel.Score
---@param data string?
---@param at number?
---@param id string? as in submit
---@return number? score
---@return boolean|string changed
function Board:set(player, score, data, at, id) end

---Replaces the data of an entry, also of a banned player or of one that a capped board does not show. The score
---and its time stay. Unsupported on remote boards.
---@param player string
---@param data string? nil: none
---@return boolean? found false if there is no entry
---@return string? reason
function Board:set_data(player, data) end

---As submit, but reports the effect. Costs two more rank lookups.
---@param player string
---@param score laurel.Score
---@param data string?
---@param at number?
---@param id string? as in submit
---@return laurel.Change? change
---@return string? reason
function Board:submit_report(player, score, data, at, id) end

---Submits items `{ player, score [, data [, at [, id]]] }` in order. A wrong type raises before the first is
---submitted.
---@param list table[]
---@return integer changed how many entries changed
---@return { index: integer, reason: string }[] refused
function Board:submit_all(list) end

---Removes the player's entry.
---@param player string
---@return boolean? removed
---@return string? reason
function Board:remove(player) end

---Removes all entries.
---@return integer? entries how many
---@return string? reason closed: the handle reads a past season; unavailable
function Board:clear() end

---Joins a player to a board with `join = "required"`; with a score, submits it too.
---@param player string
---@param score laurel.Score?
---@return boolean? joined false if the player had joined before
---@return string? reason
function Board:join(player, score) end

---Ends the player's membership and removes the entry.
---@param player string
---@return boolean? left
---@return string? reason
function Board:leave(player) end

---Hides the player's entry and refuses submissions.
---@param player string
---@return boolean? changed
---@return string? reason
function Board:ban(player) end

---Ends the ban and restores the entry.
---@param player string
---@return boolean? changed
---@return string? reason
function Board:unban(player) end

---@return string[] players sorted by bytes
function Board:banned() end

---The accepted results of a player in this season, newest first; empty on a board without `history`.
---@param player string
---@param limit integer?
---@return laurel.Result[]? results
---@return string? reason unsupported: the board is remote
function Board:history(player, limit) end

---Takes back each kept result of the player with exactly this time: the board holds what it would without them. Later
---results are judged again by the rule's `score`, if there is one; those that it refuses leave the history.
---@param player string
---@param at number
---@return number? score now held; nil: no entry
---@return boolean|string changed whether the entry changed, or the reason: unknown: no such result is kept
function Board:void(player, at) end

---Judges the submissions of the board's journal by another rule, and changes nothing. Inside `laurel.task` it
---takes a part of each tick. Outside it blocks.
---@param name string
---@return laurel.Rehearsal? report
---@return string? reason unknown: there is no such file; unavailable: it does not load
function Board:rehearse(name) end

---The number of ranked players.
---@param options laurel.AtOptions?
---@return integer? size
---@return string? reason of the options: unsupported, outside_window
function Board:size(options) end

---@param player string
---@param options laurel.EntryOptions?
---@return laurel.Entry?
function Board:get(player, options) end

---The player's score. Makes no table: on a board with columns it returns each column's number.
---@param player string
---@param options laurel.AtOptions?
---@return number? score
---@return number|string|nil reason or the second column's number. Of the options: unsupported, outside_window
function Board:score(player, options) end

---The player's rank and the board's size: "211th of 1539". Makes no table. The ranking may be omitted
---before the options. "dense" costs a step for each distinct score above on sharded boards, and in Redis as a rank in
---another mode than the board's own.
---@param player string
---@param ranking laurel.Ranking|laurel.AtOptions|nil default: the board's
---@param options laurel.AtOptions?
---@return number? rank whole, except with "fractional"
---@return integer|string|nil size or the reason: unknown, of a ranking; unsupported, outside_window
function Board:rank(player, ranking, options) end

---The rank that a new player with this score would have now.
---@param score laurel.Score
---@return number? rank whole, except with "fractional"
---@return string? reason
function Board:rank_of(score) end

---100 x (players ranked strictly worse) / size.
---@param player string
---@return number?
function Board:percentile(player) end

---The score at a position, or nil. Makes no table. The difference between two scores is the points that it takes
---to pass.
---@param position integer 1-based
---@return number?
function Board:score_at(position) end

---The worst held score whose player's percentile is at least p; nil if there is none. Makes no table.
---@param p number
---@return number? score
---@return string? reason not_finite: p is NaN
function Board:score_at_percentile(p) end

---The number of scores in [low, high]; nil and infinity are open bounds. Bounds may be omitted before
---the options, on boards without columns. With columns see between.
---@param low laurel.Score|laurel.AtOptions|nil
---@param high laurel.Score|laurel.AtOptions|nil
---@param options laurel.AtOptions?
---@return integer? count
---@return string? reason not_finite; of the options: unsupported, outside_window
function Board:count(low, high, options) end

---The first n entries, best first; none if n is below 1.
---@param n integer
---@param options laurel.TopOptions?
---@return laurel.Entry[]? entries
---@return boolean|string|nil certain with a confidence: whether the list is certainly exact; or the reason
function Board:top(n, options) end

---The last n entries, worst first.
---@param n integer
---@param options laurel.WithOptions?
---@return laurel.Entry[]
function Board:bottom(n, options) end

---n entries, starting at a position.
---@param first integer 1-based
---@param n integer
---@param options laurel.ListOptions?
---@return laurel.Entry[]? entries
---@return string? reason of the options: unsupported, outside_window
function Board:page(first, n, options) end

---The player with n entries above and n below; at an end of the board the list slides. Empty if the
---player is not ranked.
---@param player string
---@param n integer 0: the player alone; below 0 the list is empty
---@param options laurel.EntryOptions?
---@return laurel.Entry[]
function Board:around(player, n, options) end

---The first p percent of the entries, rounded up: at least one if p is above 0, all from 100 on.
---@param p number
---@param options laurel.WithOptions?
---@return laurel.Entry[]? entries
---@return string? reason not_finite: p is NaN
function Board:top_percent(p, options) end

---The n entries before and the n after the place where a new player with this score would stand; at an end of the
---board the list slides. Also the rank that the new player would have.
---@param score laurel.Score
---@param n integer none if it is below 1
---@param options laurel.WithOptions?
---@return laurel.Entry[]? entries
---@return number|string rank or the reason: not_finite, out_of_range
function Board:around_score(score, n, options) end

---Entries with a score in [low, high], best first. With columns that is a range of the board's order: low has
---the smaller first column. Columns at the end of a bound may be left out, and are then open.
---@param low laurel.Score?
---@param high laurel.Score?
---@param limit integer?
---@return laurel.Entry[]? entries
---@return string? reason not_finite
function Board:between(low, high, limit) end

---The entries of the given players, best first. Players who are not ranked are left out.
---@param players string[]
---@param options laurel.WithOptions?
---@return laurel.FriendEntry[]
function Board:among(players, options) end

---Returns an iterator over the entries, starting at a position. The board may change meanwhile. A player
---who stays on it is visited exactly once, a new player once or not at all, and a player who rises past the
---loop at its end. Raises `unavailable` if a million players of a board in the store, or of a remote board,
---moved past a loop that changes them, or if 256 other loops over the board were begun or used since.
---@param first integer? 1-based
---@return fun(): laurel.Entry?
function Board:each(first) end

---The state of the board's remote; nil for a local board. Does not wait.
---@return laurel.RemoteState?
function Board:remote() end

---The current spec and the state of the board.
---@return laurel.Info
function Board:info() end

---@return integer season number of the running season, or of the past one that the handle reads
function Board:season() end

---Ends the running season now, even if it is empty.
---@return integer? ended its number
---@return string? reason closed: the handle reads a past season; unavailable
function Board:reset() end

---@return integer[] seasons those kept, newest first, the running one first
function Board:seasons() end

---Remembers the order as it is now, in place of the last one that was remembered: a mark. Costs the same on a
---board of any size. A season of a board with marks begins with a mark of an empty board.
---@return number? at Unix seconds: when the mark was set
---@return string? reason unsupported: the engine is not ranked, capped, or sharded of ranked; unavailable
function Board:mark() end

---A player's rank and score now and at the last mark. Bans, removals and `set` since do not change the order at
---the mark.
---@param player string
---@return laurel.Since? since nil if the player is not ranked
---@return string? reason unsupported
function Board:since(player) end

---The players whose attribute has this value, ranked among themselves: a board that is read only, with all reads
---and `watch`, and for `live:publish`. Empty if no player on the board has the value. Its name is `season_3:country=DE`.
---@param attribute string one of the spec's `segments`
---@param value string
---@return laurel.Board? segment
---@return string? reason unknown: the attribute is not in `segments`; bad_data: no value is like that; unsupported
function Board:segment(attribute, value) end

---The values of an attribute that players on the board have, the largest segment first, equals by bytes.
---@param attribute string one of the spec's `segments`
---@return laurel.SegmentSize[]? sizes
---@return string? reason unknown: the attribute is not in `segments`; unsupported
function Board:segments(attribute) end

---The cohort of a player: those who came at about the same time, ranked among themselves. A board that is read only, with
---all reads and `watch`, and for `live:publish`. A place is given with the first accepted result of a season, and stays
---when the player leaves the board. Its name is `season_3:cohort=17`. Also of a past season.
---@param player string
---@return laurel.Board? cohort nil if the player has no place
---@return integer|string|nil number or the reason: unknown: the board, or the past season, has no cohorts; unsupported
function Board:cohort(player) end

---How many cohorts there are in the season.
---@return integer? cohorts
---@return string? reason unknown: the board, or the past season, has no cohorts; unsupported
function Board:cohorts() end

---With `attempts`: how many results of the player were taken in the running season, and how many are left.
---Results of `submit`, `add`, `post` and a `join` with a score count; those of `set`, refused and repeated ones
---do not.
---@param player string
---@return integer? taken nil without `attempts`, and of a past season
---@return integer? left
---@return string? reason
function Board:attempts(player) end

---Gives the player n more attempts in the running season, or fewer if n is negative.
---@param player string
---@param n integer
---@return integer? left how many are left
---@return string? reason bad_player; out_of_range; unsupported: the board has no `attempts`
function Board:grant(player, n) end

---A past season, read-only. Its handle raises `dropped` when the season is no longer kept. If there is a
---remote named "archive", a season that is kept neither locally nor in the board's Redis is requested
---from it. That call waits, so it raises outside of a task. The result is read like a remote board.
---@param season integer
---@return laurel.Board? archived nil if it is not kept, or has not ended
---@return string? reason unavailable: of the archive
function Board:archived(season) end

---Capped boards: the score to beat; nil until the board is full.
---@return number? score
---@return string? reason unsupported
function Board:lowest() end

---Capped boards with keep = "best": merges the entries of another server. Their ranks are ignored.
---@param entries laurel.Entry[] checked as a whole first: a wrong type raises
---@return integer? changed how many entries changed
---@return string? reason unsupported; of an entry: bad_player, bad_data, not_finite, out_of_range
function Board:merge(entries) end

---Padded boards: the key of the player's entry.
---@param player string
---@return string? key nil if there is no entry
---@return string? reason unsupported
function Board:key(player) end

---Paged boards: the number of objects that store the board.
---@return laurel.Layout? layout
---@return string? reason unsupported
function Board:layout() end

---Sharded boards: the smallest number of entries per shard that contains the first n with that
---probability.
---@param n integer
---@param confidence number 0 to 1
---@return integer? size
---@return string? reason unsupported, not_finite, out_of_range
function Board:fetch_size(n, confidence) end

---Calls back in a tick when the first n entries changed. An error in the callback is logged.
---@param n integer at most 1,000
---@param callback fun(event: laurel.WatchEvent)
---@return fun()? stop ends the watch
---@return string? reason out_of_range, unavailable
function Board:watch(n, callback) end

---A server that publishes boards to clients.
---@class laurel.Live
local Live = {}

---Publishes a board, or a segment or cohort of it under its name. Publishing it again changes the options.
---@param board laurel.Board|string or its name
---@param options laurel.PublishOptions?
---@return true? published
---@return string? reason unavailable; closed: a past season; unknown: no board has the name; unsupported: the name of
---  a segment has more than 255 bytes; taken: something else is published under that name. Clients of
---  0.1.0 are told that boards with columns or fractional ranks are unknown
function Live:publish(board, options) end

---@param board laurel.Board|string or its name
---@return boolean unpublished false if it was not published
function Live:unpublish(board) end

---Makes a token for the player's client. It expires after `seconds` of the boards' clock or of a real
---clock, whichever is faster. An admitted client may connect again for ten minutes after its connection
---was lost, without another token. Tokens are durable if the boards are.
---
---If the server requires tokens, the token makes an encrypted connection: it has 104 digits, with the
---public key of the boards' server. With `clear` it has 40, and makes a connection in clear, for clients
---of 0.1.0 and those in pure Lua. A server with auth = "open" makes only such.
---@param player string
---@param seconds number above 0
---@param options laurel.TokenOptions?
---@return string? token
---@return string? reason bad_player, out_of_range, unavailable
function Live:token(player, seconds, options) end

---Makes a token for a gateway: a program that serves others. Any number of connections may begin with
---it, all at once too, until it is revoked or its time is over. A gateway has up to 1,024 subscriptions,
---may follow any player, and may ask which player a token belongs to. It is durable if the boards are.
---Its connections are encrypted as those of live:token.
---@param seconds number? above 0; nil: until it is revoked
---@param options laurel.GatewayTokenOptions?
---@return string? token
---@return string? reason out_of_range, unavailable
function Live:gateway_token(seconds, options) end

---Ends a gateway's token, and the connections that were made with it.
---@param token string
---@return boolean? revoked false if it was not a valid token of a gateway
---@return string? reason unavailable
function Live:revoke_gateway_token(token) end

---The local UDP port.
---@return integer
function Live:port() end

---@class laurel.LiveStats
---@field clients integer connected now, also before their hello
---@field boards integer published now
---@field subscriptions integer active now, also those to boards that are not published
---@field sent integer messages queued for the network
---@field bytes integer size of these messages, without the headers of ENet and UDP, and what encryption adds
---@field received integer messages of clients
---@field encoded integer states that were encoded; the others that were sent were shared
---@field resyncs integer clients that needed a whole state again
---@field dropped integer messages that the network did not take, and posts beyond a limit
---@field offences integer messages of clients that were damaged or not allowed
---@field garbage integer datagrams dropped before ENet saw them
---@field closed integer connections that the server ended: slow, late, abuse, refused
---@field denied integer connects without a valid token, repeated ones included
---@field tickets integer tokens not used up yet, and clients that may reconnect
---@field followed integer players that clients follow now

---@return laurel.LiveStats
function Live:stats() end

---Disconnects all clients and ends the server. The boards remain open.
---@return true
function Live:close() end

---A client of a server's boards. Its callbacks run in tick.
---@class laurel.Client
local Client = {}

---Calls back with the first n entries when they arrive and at each change. Calls back with nil and a
---reason (`unknown`) if the server does not publish the board. Subscribing again replaces n and the
---callback. A client has up to 64 subscriptions, a gateway 1,024. At a server of 0.1.0 both have 16. A
---further subscription is called back with nil and `out_of_range`.
---@param board string
---@param n integer 1 to 100
---@param callback fun(top: laurel.TopEntry[]?, size: integer|string, version: integer?)
---@return true? subscribed
---@return string? reason out_of_range
function Client:subscribe(board, n, callback) end

---As subscribe, with the player of the client's token and n entries above and below. At an end of the
---board the list slides; it is empty while the player is not ranked. Calls back once with nil and
---`unsupported` if the server knows no player for this client.
---@param board string
---@param n integer 0 to 10
---@param callback fun(entries: laurel.TopEntry[]?, size: integer|string, version: integer?)
---@param player string? for gateways: the player to follow; other clients are called back with `unsupported`
---@return true? following
---@return string? reason out_of_range, bad_player
function Client:follow(board, n, callback, player) end

---Ends all subscriptions to the board; with a player, only the follow of that player.
---@param board string
---@param player string?
---@return true
function Client:unsubscribe(board, player) end

---A published board, as clients are told of it.
---@class laurel.ListedBoard
---@field board string
---@field order "desc"|"asc"
---@field decimals integer? nil: scores are numbers as they are
---@field columns laurel.Column[]?
---@field ranking string
---@field meta string?
---@field size integer players ranked on it, told once a second
---@field season integer? the running one; nil for a remote board
---@field resets_at number?
---@field closes_at number? until when results are taken, by `duration` (nil for a remote board) or `closes`

---The boards that the server publishes, sorted by name, as last received; empty at first. The client asks
---for them from the first call of this or of on_boards on.
---@return laurel.ListedBoard[]? boards
---@return string? reason unsupported: a server of 0.1.0
function Client:boards() end

---Calls back with the published boards when they are known, and at each change; once with nil and
---`unsupported` at a server of 0.1.0. A second call replaces the callback.
---@param callback fun(boards: laurel.ListedBoard[]?, reason: string?)
---@return true
function Client:on_boards(callback) end

---The player of the client's token; nil while it is not connected, and if the server knows none.
---@return string?
function Client:player() end

---For gateways: asks which player a token belongs to. This spends no use of the token. Calls back once,
---within 10 s, with the player; or with nil and why: unknown, unsupported, unavailable.
---@param token string
---@param callback fun(player: string?, reason: string?)
---@return true? asked
---@return string? reason out_of_range, unavailable
function Client:player_of(token, callback) end

---Receives and sends, then calls back. Never blocks.
---@return true
function Client:tick() end

---"connecting", "connected", "refused: why" or "lost: why". A lost client connects again automatically. A
---refused one does not, unless its token comes from a function.
---@return string
function Client:state() end

---Disconnects. Any later call raises `closed`.
---@return true
function Client:close() end

return laurel
