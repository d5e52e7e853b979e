-- questions.lua - a gateway's questions whose token a token is, which are answered in a later tick.
--
--   limits     QUESTIONS_MAX that are not answered; each waits at most ANSWER_WITHIN.
--   lost       a question of a lost connection is asked again on the next one.
--   callbacks  run only in `deliver`, each protected.
local wire = require "laurel.wire"

local Questions = {}
Questions.__index = Questions

local ANSWER_WITHIN = 10 -- seconds
local NUMBER_MAX = 2 ^ 32 - 1

Questions.MAX = 1024

-- protect: see protected.lua
function Questions.new(protect)
  return setmetatable({ protect = protect, open = {}, answers = {}, asked = 0 }, Questions)
end

-- Returns false if there are too many.
function Questions:ask(token, callback)
  if #self.open >= Questions.MAX then return false end
  self.asked = self.asked % NUMBER_MAX + 1
  self.open[#self.open + 1] = { number = self.asked, token = token, callback = callback }
  return true
end

-- The connection has ended.
function Questions:lost()
  for _, question in ipairs(self.open) do question.sent = false end
end

-- Answers a question, which is removed later. player: nil if it is refused
function Questions:answer(question, player, reason)
  question.number = nil
  self.answers[#self.answers + 1] = { callback = question.callback, player = player,
    reason = reason }
end

-- message: a player_is
function Questions:hear(message)
  for _, question in ipairs(self.open) do
    if question.number == message.question and question.sent then
      if message.player == "" then
        self:answer(question, nil, "unknown: the server knows no such token")
      else
        self:answer(question, message.player)
      end
    end
  end
end

function Questions:refuse_all(reason)
  for _, question in ipairs(self.open) do
    if question.number then self:answer(question, nil, reason) end
  end
  self.open = {}
end

local function serve(self, question, connection, now)
  question.since = question.since or now
  local is_connected = connection.phase == "welcomed"
  if is_connected and connection.role ~= wire.GATEWAY then
    self:answer(question, nil, connection.version < 2
      and connection.no_version_2 "questions about tokens"
      or "unsupported: only a gateway asks whose a token is")
  elseif now - question.since >= ANSWER_WITHIN then
    self:answer(question, nil,
      ("unavailable: the server did not answer within %d s"):format(ANSWER_WITHIN))
  elseif is_connected and not question.sent and connection:may_ask(now) then
    question.sent = true
    connection:say(wire.RELIABLE, wire.ask_player(question.number, question.token))
  end
end

-- Sends what is not asked yet, as far as the rate limit allows.
function Questions:serve(connection, now)
  local waiting = {}
  for _, question in ipairs(self.open) do
    if question.number then serve(self, question, connection, now) end
    if question.number then waiting[#waiting + 1] = question end
  end
  self.open = waiting
end

function Questions:deliver()
  local answers = self.answers
  self.answers = {}
  for _, each in ipairs(answers) do
    if self.closed then return end -- by a callback
    self.protect("player_of", each.callback, each.player, each.reason)
  end
end

function Questions:close() self.open, self.answers, self.closed = {}, {}, true end

return Questions
