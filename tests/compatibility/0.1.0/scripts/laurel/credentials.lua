-- credentials.lua - what a client shows to be let in: the token that it was given, and the word of
-- the last welcome.
--
--   token    40 hexadecimal digits: the word, a number of four bytes, in 8 and the secret in 32.
--   turns    after a welcome its word is shown, until it is refused. Where attempts come to nothing
--            without an answer, each TOKEN_EVERY-th shows the token: the server may have forgotten
--            the one, still know the other, and have no time to say so.
--   source   nil, the token's text, or a function that returns one; it is called for each attempt
--            that shows the token, and may return nil and a reason: "not yet". A text that is no
--            token is shown as none.
local text = require "laurel.text"
local wire = require "laurel.wire"

local Credentials = {}
Credentials.__index = Credentials

local WORD_DIGITS = 8
local DIGITS = WORD_DIGITS + 2 * wire.SECRET_BYTES
local NONE = { word = 0, secret = "" }
local TOKEN_EVERY = 4

-- What a token's text holds; nil when it is none.
function Credentials.parse(digits)
  if #digits ~= DIGITS or digits:find("%X") then return nil end
  local secret = digits:sub(WORD_DIGITS + 1):gsub("%x%x", function(two)
    return string.char(tonumber(two, 16))
  end)
  return { word = tonumber(digits:sub(1, WORD_DIGITS), 16), secret = secret }
end

-- protect: function(title, fn) -> called, results...; as callbacks are called
function Credentials.new(source, protect)
  -- silent: attempts in a row that came to nothing
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

-- The word for the next attempt, 0 without a token; or nil and why there is none yet.
function Credentials:word()
  if self:shows_pass() then
    self.shown = self.pass
  else
    local digits, reason = self.source, nil
    if type(digits) == "function" then digits, reason = self:fetched() end
    if reason then return nil, reason end
    self.shown = digits and Credentials.parse(digits) or NONE
  end
  return self.shown.word
end

-- What goes into hello, of the same attempt.
function Credentials:secret() return self.shown.secret end

-- The attempt led in; the word is for the next, or 0.
function Credentials:welcomed(word)
  self.pass = nil
  if word ~= 0 and self.shown ~= NONE then
    self.pass = { word = word, secret = self.shown.secret }
  end
  self.silent = 0
end

-- It came to nothing.
function Credentials:failed() self.silent = (self.silent + 1) % TOKEN_EVERY end

-- The server refused it; whether there is still something to try.
function Credentials:refused()
  local was_pass = self:shows_pass()
  if was_pass then self.pass = nil end -- a word that was refused once is not good again
  self.silent = 0
  return was_pass or self.pass ~= nil or type(self.source) == "function"
end

return Credentials
