-- obs_studio.lua - OBS Studio as after its first setup: a scene with a text source, "standings", and
-- scripts. It listens on no port.
local processes = require "process_fixture"

local obs_studio = {}

local GLOBAL = [[
[General]
FirstRun=true
LastVersion=486539266
EnableAutoUpdates=false
[Basic]
Profile=Untitled
ProfileDir=Untitled
SceneCollection=Untitled
SceneCollectionFile=Untitled
[OBSWebSocket]
FirstLoad=false
ServerEnabled=false
]]
local PROFILE = [[
[General]
Name=Untitled
[Video]
BaseCX=1280
BaseCY=720
OutputCX=1280
OutputCY=720
FPSCommon=10
]]

-- Starts OBS with the scenes and scripts of a file, in which `words` replaces the @WORDS@ of the same name
-- and @ROOT@ is the project's folder. Returns its process id; its name is "obs".
function obs_studio.start(collection, words)
  local config = os.getenv("XDG_CONFIG_HOME") .. "/obs-studio"
  os.execute(("mkdir -p %s/basic/profiles/Untitled %s/basic/scenes"):format(config, config))
  processes.write(config .. "/global.ini", GLOBAL)
  processes.write(config .. "/basic/profiles/Untitled/basic.ini", PROFILE)
  words.ROOT = processes.output("pwd"):gsub("\n", "")
  processes.write(config .. "/basic/scenes/Untitled.json",
    (processes.read(collection):gsub("@(%u+)@", words)))
  return processes.start("obs", "obs --multi --disable-updater --verbose --scene Scene")
end

return obs_studio
