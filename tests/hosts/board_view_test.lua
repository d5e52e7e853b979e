-- What an overlay shows: the top, and the player's neighbours below it. Tested with a fake client.
package.path = "scripts/?.lua;" .. package.path
local board_view = require "laurel.board_view"

local function entries(first, ...)
  local list = {}
  for i, player in ipairs { ... } do
    list[i] = { player = player, rank = first + i - 1, score = 100 - first - i }
  end
  return list
end

local function fake_client()
  local client = { said = {} }
  function client:subscribe(board, n, call)
    self.top, self.said[#self.said + 1] = call, "top " .. board .. n
  end
  function client:follow(board, n, call)
    self.own, self.said[#self.said + 1] = call, "own " .. board .. n
  end
  function client:state() return self.now end
  return client
end

-- "a* b ... _c": the player's own row has a star, rows below the top an underscore; three dots are a gap.
local function picture(view)
  local words = {}
  for _, row in ipairs(view:rows()) do
    if row.gap then words[#words + 1] = "..." end
    words[#words + 1] = (row.below and "_" or "") .. row.entry.player .. (row.own and "*" or "")
  end
  return table.concat(words, " ")
end

local function same(got, wanted)
  assert(got == wanted, ("got %q, wanted %q"):format(tostring(got), tostring(wanted)))
end

-- Without a token the given player is marked in the top, and the client follows no player.
local client = fake_client()
local view = board_view.watch(client, { board = "kills", top = 3, player = "b" })
same(picture(view), "")
client.top(entries(1, "a", "b", "c"), 40)
same(picture(view), "a b* c")
same(view.size, 40)
same(table.concat(client.said, ", "), "top kills3")

-- With a token, the player is learned by following with 0 neighbours, and is then followed with neighbours.
client = fake_client()
view = board_view.watch(client, { board = "kills", top = 3, around = 2 })
client.top(entries(1, "a", "b", "c"), 40)
client.own({}, 40)
same(picture(view), "a b c")
client.own(entries(20, "me"), 40)
same(table.concat(client.said, ", "), "top kills3, own kills0, own kills2")
client.own(entries(18, "x", "y", "me", "z", "q"), 40)
same(picture(view), "a b c ... _x _y _me* _z _q")

-- If the neighbours touch the top, the view has no gap and lists each player once.
client.own(entries(2, "b", "c", "me", "z", "q"), 40)
same(picture(view), "a b c _me* _z _q")
client.own(entries(4, "x", "y", "me", "z", "q"), 40)
same(picture(view), "a b c _x _y _me* _z _q")

-- A player in the top is marked there, and no rows follow below.
client.top(entries(1, "me", "a", "b"), 40)
same(picture(view), "me* a b")

-- For a board that is gone, the view is empty and has the reason.
local changes = view.changes
client.top(nil, "unknown: no board \"kills\"")
same(picture(view), "")
same(view.reason, "unknown: no board \"kills\"")
assert(view.changes > changes)
client.top(entries(1, "a"), 1)
same(view.reason, nil)

-- With a token that names no player, only the top is shown.
client.own(nil, "nobody: the token names no player")
same(picture(view), "a")

-- The views of a client hear what their boards are like, also after a change; a client that has no list of
-- boards is not asked for one.
local hear
local several = fake_client()
function several:on_boards(call) -- luacheck: ignore 212
  assert(not hear, "one callback for all views")
  hear = call
end
local kills = board_view.watch(several, { board = "kills", top = 3 })
local laps = board_view.watch(several, { board = "laps", top = 3 })
hear { { board = "kills", decimals = 2 } }
same(kills.board.decimals, 2)
same(laps.board, nil)
same(kills.changes .. " " .. laps.changes, "1 0")
hear { { board = "laps", decimals = 3 } }
same(kills.board, nil)
same(laps.board.decimals, 3)
hear(nil)
same(laps.board, nil)
local held = setmetatable({ several, kills, laps }, { __mode = "v" })
several, kills, laps, hear = nil, nil, nil, nil -- luacheck: ignore 311
collectgarbage()
collectgarbage()
same(held[1] or held[2] or held[3], nil)

for state, word in pairs {
  connected = "live", connecting = "connecting", ["lost: no answer"] = "lost", ["refused: no"] = "refused",
} do
  client.now = state
  same(board_view.state(client), word)
end
print("a view shows the top and the own surroundings")
