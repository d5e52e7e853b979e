// game_laurel.mjs - a game server with laurel (tests/hosts/server.lua) and laurel-web, as processes. findings.mjs
// says what a Game does.
//
//   LAUREL_BUILD   the folder with laurel.so and laurel-web; default: build/strict
//   LAUREL_WEB     the gateway, if it is in another folder
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";

const BUILD = resolve(process.env.LAUREL_BUILD || "build/strict");
const TOKEN_SECONDS = 600;

// Anything as Lua: strings byte by byte, so that they need not be UTF-8.
function lua(value) {
  if (value === undefined || value === null) return "nil";
  if (typeof value === "string") return lua(Buffer.from(value));
  if (Buffer.isBuffer(value)) {
    return '"' + Array.from(value, (byte) => "\\" + String(byte).padStart(3, "0")).join("") + '"';
  }
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `{${value.map(lua).join(",")}}`;
  if (value.base64 !== undefined) return lua(Buffer.from(value.base64, "base64"));
  const fields = Object.entries(value).filter(([, field]) => field !== undefined);
  return `{${fields.map(([name, field]) => `[${lua(name)}]=${lua(field)}`).join(",")}}`;
}

// What makes a board with the description. Its scores have less room than by default, so that
// three columns fit.
function specOf({ closes_at: closes, resets_at: resets, columns, ...fields }) {
  const at = new Date(Math.ceil((resets || 0) / 60) * 60000);
  const day = `${at.getUTCDate()} ${at.getUTCMonth() + 1} *`;
  return {
    keep: "latest",
    ...fields,
    closes,
    reset: resets && `${at.getUTCMinutes()} ${at.getUTCHours()} ${day}`,
    columns: columns && columns.map((column) => ({ max: 99999, ...column })),
  };
}

// A program whose standard output is read line by line.
class Program {
  constructor(command, args, env = {}) {
    this.child = spawn(command, args, {
      env: { ...process.env, ...env },
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.ended = once(this.child, "exit");
    this.child.on("error", (error) => console.error(`${command}: ${error.message}`));
    this.child.stdin.on("error", () => {}); // it has ended
    this.lines = createInterface({ input: this.child.stdout })[Symbol.asyncIterator]();
  }

  async line() {
    const { value, done } = await this.lines.next();
    if (done) throw new Error(`${this.child.spawnfile} ended`);
    return value;
  }

  async end(signal) {
    this.child.kill(signal);
    await this.ended;
  }
}

export class Game {
  // gatewayOptions: more words for laurel-web
  static async start({ gatewayOptions = [] } = {}) {
    const game = new Game();
    game.gatewayOptions = gatewayOptions;
    game.folder = mkdtempSync(join(tmpdir(), "laurel-web-game-"));
    game.published = new Map(); // what is published: the board as Lua, by its key
    game.serverPort = 0;
    game.address = "127.0.0.1:0";
    await game.startServer();
    const token = await game.run("return live:gateway_token()");
    game.tokenFile = join(game.folder, "token");
    writeFileSync(game.tokenFile, token + "\n");
    await game.startGateway();
    return game;
  }

  async startServer() {
    this.server = new Program(
      "luajit",
      ["tests/hosts/server.lua", join(this.folder, "boards"), String(this.serverPort), "token"],
      { LUA_CPATH: `${BUILD}/?.so;;` },
    );
    this.serverPort = Number(await this.server.line());
    for (const board of this.published.values()) await this.publishAgain(board);
  }

  async stopServer() {
    await this.run("return boards:flush()");
    await this.server.end("SIGKILL");
  }

  async startGateway() {
    this.gateway = new Program(process.env.LAUREL_WEB || join(BUILD, "laurel-web"), [
      "--connect",
      `127.0.0.1:${this.serverPort}`,
      "--token-file",
      this.tokenFile,
      "--listen",
      this.address,
      ...this.gatewayOptions,
    ]);
    const said = await this.gateway.line();
    this.base = /^laurel-web listens on (http:\S+)$/.exec(said)[1];
    this.address = this.base.replace("http://", "");
  }

  async stopGateway() {
    await this.gateway.end("SIGTERM");
  }

  async close() {
    await this.gateway.end("SIGTERM");
    await this.server.end("SIGKILL");
    rmSync(this.folder, { recursive: true, force: true });
  }

  // Runs Lua between two ticks of the server.
  async run(chunk) {
    this.server.child.stdin.write(chunk.replace(/\n/g, " ") + "\n");
    return this.server.line();
  }

  async publishAgain(board) {
    await this.run(`return live:publish(${board}, { top = 100, changes = true })`);
  }

  async publish(name, spec) {
    const board = lua(name);
    if (spec) {
      await this.run(`return boards:board(${board}, ${lua(specOf(spec))})`);
    }
    await this.publishAgain(board);
    this.published.set(JSON.stringify(name), board);
  }

  async unpublish(name) {
    await this.run(`return live:unpublish(${lua(name)})`);
    this.published.delete(JSON.stringify(name));
  }

  async name(player, name) {
    await this.run(`return boards:save_player { id = ${lua(player)}, name = ${lua(name)} }`);
  }

  async submit(name, player, score) {
    await this.submitAll(name, [[player, score]]);
  }

  async submitAll(name, scores) {
    const calls = scores.map(([player, score]) =>
      score === undefined
        ? `board:remove(${lua(player)})`
        : `assert(board:submit(${lua(player)}, ${lua(score)}))`,
    );
    await this.run(`local board = boards:board(${lua(name)}) ${calls.join(" ")} return true`);
  }

  async mark(name) {
    await this.run(`return boards:board(${lua(name)}):mark()`);
  }

  async reset(name) {
    await this.run(`return boards:board(${lua(name)}):reset()`);
  }

  async token(player) {
    return this.run(`return live:token(${lua(player)}, ${TOKEN_SECONDS})`);
  }

  // Entries as the game has them: a line of fields in hexadecimal digits.
  async top(name, n = 10) {
    const text = await this.run(`local parts = {}
      local function hex(text)
        return (text:gsub(".", function(each) return ("%02x"):format(each:byte()) end))
      end
      for _, entry in ipairs(boards:board(${lua(name)}):top(${n})) do
        local score = type(entry.score) == "table" and entry.score or { entry.score }
        for i, each in ipairs(score) do score[i] = ("%.17g"):format(each) end
        parts[#parts + 1] = ("%s %s %s %s"):format(entry.rank, table.concat(score, ","),
          hex(entry.player), hex(entry.name or ""))
      end
      return table.concat(parts, ";")`);
    const read = (hex) => Buffer.from(hex, "hex").toString();
    return (text ? text.split(";") : []).map((part) => {
      const [rank, score, player, called] = part.split(" ");
      const scores = score.split(",").map(Number);
      return {
        rank: Number(rank),
        score: scores.length > 1 ? scores : scores[0],
        player: read(player),
        name: called ? read(called) : undefined,
      };
    });
  }
}
