-- credentials.lua - what a client sends to be admitted: its token, or the word of the last welcome
-- (the pass) with the token's secret.
--
--   token    40 hexadecimal digits: 8 of the word, a number of four bytes, and 32 of the secret. A
--            gateway's has "gateway-" before them. One with 64 more, of the server's key, is for an
--            encrypted connection, which needs laurel.so: it is refused, and never sent.
--   choice   after a welcome the pass is used until it is refused. While attempts get no answer,
--            every TOKEN_EVERY-th attempt uses the token: the server may have lost the pass, and
--            may not reply when it drops a connect.
--   source   nil, the token's text, or a function that returns it. The function is called for each
--            attempt that uses the token, and may return nil and a reason. A text that is not a
--            token counts as no token.
local text = require "laurel.text"
local wire = require "laurel.wire"

local Credentials = {}
Credentials.__index = Credentials

local WORD_DIGITS = 8
local DIGITS = WORD_DIGITS + 2 * wire.SECRET_BYTES
local KEY_DIGITS = 64
local NONE = { word = 0, secret = "" }
local TOKEN_EVERY = 4
local GATEWAY = "^gateway%-"

-- Parses a token's text; nil if it is not a token.
function Credentials.parse(words)
  local digits = words:gsub(GATEWAY, "")
  if #digits ~= DIGITS or digits:find("%X") then return nil end
  local secret = digits:sub(WORD_DIGITS + 1):gsub("%x%x", function(two)
    return string.char(tonumber(two, 16))
  end)
  return { word = tonumber(digits:sub(1, WORD_DIGITS), 16), secret = secret }
end

-- Why the text is of no use to this client, though it is a token; nil if that is not so.
function Credentials.unusable(words)
  local digits = words:gsub(GATEWAY, "")
  if #digits ~= DIGITS + KEY_DIGITS or digits:find("%X") then return nil end
  return "the token is for an encrypted connection, which needs laurel.so: use laurel.connect, "
    .. "or a token of live:token(player, seconds, { clear = true })"
end

-- protect: function(title, fn) -> called, results...; see protected.lua
function Credentials.new(source, protect)
  -- silent: consecutive attempts without an answer, modulo TOKEN_EVERY
  return setmetatable({ source = source, protect = protect, shown = NONE, silent = 0 }, Credentials)
end

function Credentials:shows_pass()
  return self.pass ~= nil and self.silent % TOKEN_EVERY ~= TOKEN_EVERY - 1
end

function Credentials:fetched()
  local called, digits, reason = self.protect("the token's function", self.source)
  if not called then return nil, "the token's function failed" end
  if type(digits) == "string" then return digits end
  if digits ~= nil then reason = "the token's function returned a " .. type(digits) end
  if type(reason) ~= "string" or reason == "" then return nil, "no token yet" end
  return nil, "no token yet: " .. text.escaped(reason, 200)
end

-- Whether the token may be a gateway's: it is one, or it is not known yet.
function Credentials:may_be_gateway()
  local source = self.source
  if type(source) ~= "string" then return source ~= nil end
  return source:find(GATEWAY) ~= nil and Credentials.parse(source) ~= nil
end

-- Chooses what the next attempt uses, and returns its word, 0 without a token; or nil and why there
-- is none yet.
function Credentials:word()
  if self:shows_pass() then
    self.shown = self.pass
  else
    local digits, reason = self.source, nil
    if type(digits) == "function" then digits, reason = self:fetched() end
    reason = reason or digits and Credentials.unusable(digits)
    if reason then return nil, reason end
    self.shown = digits and Credentials.parse(digits) or NONE
  end
  return self.shown.word
end

-- The secret for the same attempt's hello.
function Credentials:secret() return self.shown.secret end

-- The attempt succeeded; `word` is for the next connection, or 0.
function Credentials:welcomed(word)
  self.pass = nil
  if word ~= 0 and self.shown ~= NONE then
    self.pass = { word = word, secret = self.shown.secret }
  end
  self.silent = 0
end

-- The attempt failed without an answer.
function Credentials:failed() self.silent = (self.silent + 1) % TOKEN_EVERY end

-- The server refused the attempt. Returns whether another attempt may succeed.
function Credentials:refused()
  local was_pass = self:shows_pass()
  if was_pass then self.pass = nil end -- the word will not be accepted later either
  self.silent = 0
  return was_pass or self.pass ~= nil or type(self.source) == "function"
end

return Credentials
