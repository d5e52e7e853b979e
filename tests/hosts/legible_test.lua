-- Text from players is made safe to display.
package.path = "scripts/?.lua;" .. package.path
local legible = require "laurel.legible"
local text = require "laurel.text"

local function same(got, wanted, what)
  assert(got == wanted, ("%s: got %q, wanted %q"):format(what, tostring(got), tostring(wanted)))
end

same(legible.text("Ada Ábel 名前 🏆"), "Ada Ábel 名前 🏆", "letters of the world stay")
same(legible.text("a\27[2J\n\0b\127"), "a\\x1b[2J\\x0a\\x00b\\x7f", "control bytes are seen, not obeyed")
same(legible.text("\194\155" .. "2J"), "\\xc2\\x9b2J", "so are those beyond ASCII")
same(legible.text("x\226\128\174y"), "x\\xe2\\x80\\xaey", "nobody turns the direction of a line")
same(legible.text("\239\187\191z"), "\\xef\\xbb\\xbfz", "nobody hides a character")
for what, bytes in pairs {
  ["a stray byte"] = "\128", ["an overlong slash"] = "\192\175", ["an overlong of three"] = "\224\128\128",
  ["a surrogate"] = "\237\160\128", ["beyond Unicode"] = "\244\144\128\128", ["a cut character"] = "\226\130",
} do
  assert(legible.text(bytes):find("^[\\x%x]+$"), what .. " is shown as bytes: " .. legible.text(bytes))
end

-- The same characters are escaped in messages, and backslashes are.
for what, bytes in pairs {
  ["a C1 control"] = "\194\155", ["a next line"] = "\194\133", ["a line separator"] = "\226\128\168",
  ["a paragraph separator"] = "\226\128\169", ["an Arabic mark"] = "\216\156",
  ["a left-to-right mark"] = "\226\128\142", ["a right-to-left mark"] = "\226\128\143",
  ["an override"] = "\226\128\174", ["an isolate"] = "\226\129\166",
  ["the end of an isolate"] = "\226\129\169", ["a stray byte"] = "\155",
} do
  local wanted = bytes:gsub(".", function(byte) return ("\\x%02x"):format(byte:byte()) end)
  same(text.escaped("<" .. bytes .. ">"), "<" .. wanted .. ">", what .. " in a message")
  same(legible.text(bytes), wanted, what .. " in a name")
end
same(text.escaped("a\n\tb\\[x] é🏆"), "a\\n\\tb\\\\[x] é🏆", "letters of the world stay in messages")
same(text.escaped("abé", 3), "ab...", "a message is cut between characters")
same(text.escaped("abé", 4), "abé", "a message that fits is not cut")

-- For any bytes the result is valid UTF-8 without control characters, and a second pass does not change it.
local seed = tonumber(os.getenv("SEED")) or os.time()
math.randomseed(seed)
for _ = 1, 5000 do
  local bytes = {}
  for i = 1, math.random(0, 12) do
    bytes[i] = string.char(math.random() < 0.5 and math.random(128, 255) or math.random(0, 255))
  end
  local shown = legible.text(table.concat(bytes))
  same(legible.text(shown), shown, "shown twice, seed " .. seed)
  assert(not shown:find("%c"), "a control byte came through, seed " .. seed)
end

same(legible.fitted("é名x", 3), "é名", "a text is cut between characters")
same(legible.fitted("é名x", 2) .. "|", "é |", "a wide character that does not fit leaves a space")
same(legible.fitted("é", 3) .. "|", "é  |", "and padded by characters")
same(legible.fitted("7", 3, true), "  7", "or in front")
for name, width in pairs { ["é名x"] = 4, ["한국"] = 4, ["さくら"] = 6, ["🏆🔥"] = 4, ["e\204\129x"] = 2,
  ["👍🏽"] = 4, ["ไทยนี้"] = 4, ["עברית"] = 5, ["ｗ"] = 2, ["𠀀"] = 2, ["Ол▲★"] = 4, ["नमस्ते"] = 4,
  ["❤\239\184\143"] = 1, [""] = 0 } do
  same(legible.columns(name), width, "the columns of " .. name)
end

local function joined(list) return table.concat(list, " ") end
same(joined(legible.decimals { { score = 1 }, { score = 2.5 }, { score = 3.125 } }), "3",
  "most decimals count")
same(joined(legible.decimals({ { score = 1 } }, { decimals = 2 })), "2", "the board's decimals are known")
local race = { columns = { { name = "laps", decimals = 0 }, { name = "seconds", decimals = 3 } } }
local entries = { { score = { 12, 53.5 } }, { score = { 9, 1053.25 } } }
same(joined(legible.decimals(entries)), "0 2", "so it is in each column")
same(joined(legible.decimals(entries, race)), "0 3", "the columns' decimals are known")
local texts, titles = legible.scores(entries, race, true)
same(table.concat(texts, "\n") .. "\n" .. titles, "  12    53.500\n   9  1053.250\nlaps   seconds",
  "columns stand below each other, and below their names")
texts, titles = legible.scores(entries)
same(table.concat(texts, "\n"), "12    53.50\n 9  1053.25", "also if nothing is known of them")
same(titles, nil, "without names")
entries[3] = { score = 7 } -- of a board that was made again
same(legible.scores(entries)[3], " 7         ", "a score of fewer columns is no error")
same(legible.exact { 12, 53.25 }, "12 / 53.25", "a score in one text")
same(legible.same_score({ 1, 2 }, { 1, 2 }), true, "equal scores")
same(legible.same_score({ 1, 2 }, { 1, 3 }), false, "not all of it equal")
same(legible.same_score({ 1, 2 }, 1), false, "nor a number and columns")

same(legible.rank(2.5) .. legible.rank(12), "2.512", "a rank may be fractional")
for change, wanted in pairs { [3] = "▲3", [-1.5] = "▼1.5", [0] = "=" } do
  same(legible.change { rank_change = change }, wanted, "a rank change")
end
same(legible.change {}, "★", "a player who was not ranked at the mark")
same(legible.have_changes { {}, { rank_change = 0 } }, true, "a board with a mark")
same(legible.have_changes { {}, {} }, false, "a board without one")
same(legible.points(2.5, 3), "2.500", "points stand below each other")
same(legible.points(-12, 0), "-12", "whole points have no point")
same(legible.points(1e300, 0), "1e+300", "what fits no column is written by power of ten")
same(legible.points(1.5e-7, 2), "1.5e-07", "and so is what would be shown as nothing")
local rows = {
  { entry = { player = "ada", name = "Ada\n", rank = 9, score = 1500.5 } },
  { entry = { player = "émile", rank = 10, score = -2 }, own = true },
  { entry = { player = "x", name = ("y"):rep(99), rank = 211, score = 1 }, gap = true },
}
same(table.concat(legible.lines(rows, "{mark}{rank}. {name} {score}{x}", "> "), "\n"), table.concat({
  "    9. Ada\\x0a" .. (" "):rep(22) .. "1500.5{x}",
  ">  10. émile" .. (" "):rep(24) .. "  -2.0{x}",
  "…",
  "  211. " .. ("y"):rep(28) .. "    1.0{x}",
}, "\n"), "rows are aligned lines")
same(legible.lines(rows, "{name}  ", "")[2], "émile", "no line ends with spaces")
same(legible.lines(rows, "{rank}. {change} {player}", "")[2], " 10. émile", "no changes take no place")
rows[1].entry.rank_change, rows[2].entry.rank_change = -12, 0
same(table.concat(legible.lines(rows, "{rank} {change} {player}", ""), "\n"),
  "  9 ▼12 ada\n 10 =   émile\n…\n211 ★   x", "changes stand below each other")
rows[3].entry.score, rows[3].entry.player = { 1, 2 }, "名前"
same(legible.lines(rows, "{player} {score}", "")[4], "名前     1.0  2", "a row may have other columns")
same(#legible.lines({}, "{name}", ">"), 0, "no rows are no lines")
print("players' text is fit to be shown")
