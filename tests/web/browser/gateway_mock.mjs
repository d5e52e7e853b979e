// gateway_mock.mjs - a game with its gateway in one process, to work on the pages and to test them
// without laurel: it answers the pages as laurel-web does, and keeps boards in the plainest
// way.
//
//   node tests/web/browser/gateway_mock.mjs [PORT]      scenes to look at, and a race that continues
//
//   Game       what the tests drive (game.mjs says what each call does)
//   names      strings, or { base64 }
//   not here   limits, WebSockets, metrics, ETag, and what else no page asks for
import http from "node:http";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

const PAGES = new URL("../../../module/web/pages/", import.meta.url);
const KINDS = {
  html: "text/html; charset=utf-8",
  css: "text/css; charset=utf-8",
  js: "text/javascript; charset=utf-8",
  svg: "image/svg+xml",
};
const RATE_MS = 100; // between two events of a stream
const TOP_PUBLISHED = 100;
const POLICY = "default-src 'self'";

const keyOf = (name) => (typeof name === "string" ? name : "base64:" + name.base64);

function bytesOf(segment) {
  const bytes = [];
  for (let i = 0; i < segment.length; i++) {
    if (segment[i] === "%") {
      bytes.push(parseInt(segment.slice(i + 1, i + 3), 16));
      i += 2;
    } else bytes.push(segment.charCodeAt(i));
  }
  return Buffer.from(bytes);
}

// The key of a board's name as an address has it.
function keyOfSegment(segment) {
  const bytes = bytesOf(segment);
  const text = bytes.toString("utf8");
  return Buffer.from(text).equals(bytes) ? text : "base64:" + bytes.toString("base64");
}

class Board {
  constructor(name, spec) {
    Object.assign(this, { name, spec, season: 1 });
    this.begin();
  }

  begin() {
    this.epoch = Math.floor(Math.random() * 2 ** 48).toString(16);
    this.version = 1;
    this.entries = new Map(); // by the player's key
    this.marked = undefined; // ranks at the mark
    this.count = 0;
  }

  // Negative: a stands before b.
  compare(a, b) {
    const columns = this.spec.columns || [{ order: this.spec.order || "desc" }];
    const of = (entry) => (Array.isArray(entry.score) ? entry.score : [entry.score]);
    for (let i = 0; i < columns.length; i++) {
      const difference = of(a)[i] - of(b)[i];
      if (difference !== 0) return columns[i].order === "asc" ? difference : -difference;
    }
    return a.arrived - b.arrived;
  }

  // Ranks of 1224.
  ranked() {
    const list = [...this.entries.values()].sort((a, b) => this.compare(a, b));
    let rank = 0;
    return list.map((entry, i) => {
      if (i === 0 || String(entry.score) !== String(list[i - 1].score)) rank = i + 1;
      const was = this.marked && this.marked.get(keyOf(entry.player));
      return { ...entry, rank, rank_change: was === undefined ? undefined : was - rank };
    });
  }

  description() {
    const { order = "desc", decimals, columns, ranking = "competition", meta } = this.spec;
    return {
      board: this.name,
      order,
      decimals,
      columns,
      ranking,
      meta,
      size: this.entries.size,
      season: this.season,
      resets_at: this.spec.resets_at,
      closes_at: this.spec.closes_at,
    };
  }
}

export class Game {
  constructor() {
    this.boards = new Map();
    this.names = new Map();
    this.tokens = new Map();
    this.streams = new Set();
    this.sockets = new Set();
    this.requests = []; // of the gateway, so that tests see what pages ask for
    this.stale = false;
    this.port = 0;
  }

  static async start(port = 0) {
    const game = new Game();
    game.port = port;
    await game.startGateway();
    return game;
  }

  get base() {
    return `http://127.0.0.1:${this.port}`;
  }

  // The game

  async publish(name, spec = {}) {
    const held = this.boards.get(keyOf(name));
    if (held) held.published = true;
    else this.boards.set(keyOf(name), Object.assign(new Board(name, spec), { published: true }));
    this.changed();
  }

  async unpublish(name) {
    this.boards.get(keyOf(name)).published = false;
    this.changed();
  }

  async name(player, name) {
    this.names.set(keyOf(player), name);
    this.changed();
  }

  async submit(name, player, score) {
    this.submitted(name, player, score);
    this.changed();
  }

  submitted(name, player, score) {
    const board = this.boards.get(keyOf(name));
    board.entries.set(keyOf(player), {
      player,
      score,
      arrived: ++board.count,
      at: Date.now() / 1000,
    });
    board.version++;
  }

  // All at once: one state. A score without a value takes the player off.
  async submitAll(name, scores) {
    const board = this.boards.get(keyOf(name));
    for (const [player, score] of scores) {
      if (score === undefined) board.entries.delete(keyOf(player));
      else this.submitted(name, player, score);
    }
    board.version++;
    this.changed();
  }

  async mark(name) {
    const board = this.boards.get(keyOf(name));
    board.marked = undefined;
    const ranked = board.ranked();
    board.marked = new Map(ranked.map(({ player, rank }) => [keyOf(player), rank]));
    board.version++;
    this.changed();
  }

  async reset(name) {
    const board = this.boards.get(keyOf(name));
    board.season++;
    board.begin();
    this.changed();
  }

  async token(player) {
    const token = Buffer.from(`${keyOf(player)} ${Math.random()}`)
      .toString("hex")
      .slice(0, 40);
    this.tokens.set(token, player);
    return token;
  }

  async revoke(token) {
    this.tokens.delete(token);
  }

  // Until then the gateway has the last state, stale.
  async stopServer() {
    this.stale = true;
    this.changed();
  }

  async startServer() {
    this.stale = false;
    for (const board of this.boards.values()) {
      board.epoch = Math.floor(Math.random() * 2 ** 48).toString(16);
    }
    this.changed();
  }

  // What the page must show: an independent look at the board.
  async top(name, n = 10) {
    return this.window(this.boards.get(keyOf(name)).ranked().slice(0, n));
  }

  async close() {
    await this.stopGateway();
  }

  // The gateway

  async startGateway() {
    this.server = http.createServer((request, response) => {
      this.answer(request, response).catch((error) => {
        console.error(error);
        response.destroy();
      });
    });
    this.server.on("connection", (socket) => {
      this.sockets.add(socket);
      socket.on("close", () => this.sockets.delete(socket));
    });
    await new Promise((done, failed) => {
      this.server.once("error", failed);
      this.server.listen(this.port, "127.0.0.1", done);
    });
    this.port = this.server.address().port;
  }

  async stopGateway() {
    const closed = new Promise((done) => this.server.close(done));
    for (const stream of this.streams) stream.end();
    for (const socket of this.sockets) socket.destroy();
    await closed;
  }

  window(entries) {
    return entries.map(({ player, score, rank, rank_change, at }) => ({
      player,
      name: this.names.get(keyOf(player)),
      score,
      rank,
      rank_change,
      at,
    }));
  }

  changed() {
    for (const stream of this.streams) stream.changed();
  }

  send(response, status, body, headers = {}) {
    response.writeHead(status, {
      "Content-Type": "application/json",
      "Cache-Control": "no-cache",
      ...headers,
    });
    response.end(typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body));
  }

  refuse(response, status, error, headers) {
    this.send(response, status, { error }, headers);
  }

  async answer(request, response) {
    const url = new URL(request.url, "http://localhost");
    this.requests.push({ path: request.url, headers: request.headers });
    response.setHeader("X-Content-Type-Options", "nosniff");
    response.setHeader("Referrer-Policy", "no-referrer");
    if (url.pathname.startsWith("/assets/")) return this.page(response, url.pathname.slice(8));
    if (url.pathname === "/") return this.page(response, "index.html");
    if (url.pathname === "/me")
      return this.page(response, "me.html", { "X-Frame-Options": "DENY" });
    if (/^\/overlay\/[^/]+$/.test(url.pathname)) return this.page(response, "overlay.html");
    if (url.pathname === "/v1/boards" && !url.search) {
      const published = [...this.boards.values()].filter((board) => board.published);
      return this.send(
        response,
        200,
        published.map((board) => board.description()),
      );
    }
    // The query is read as it is written: names need not be UTF-8.
    const query = url.search
      .slice(1)
      .split("&")
      .map((part) => part.split("="));
    const all = (key) => query.filter((part) => part[0] === key).map((part) => part[1] || "");
    if (url.pathname === "/v1/me") {
      const n = Number(all("n")[0] ?? 2);
      return this.me(request, response, keyOfSegment(all("board")[0] || ""), n);
    }
    const top = all("top")[0] ?? "10";
    if (!/^\d+$/.test(top) || Number(top) < 1 || Number(top) > 100) {
      return this.refuse(response, 400, `bad_top: "${top}" is no whole number from 1 to 100`);
    }
    const path = /^\/v1\/boards\/([^/]+)(\/live)?$/.exec(url.pathname);
    const live = url.pathname === "/v1/live" || (path && path[2]);
    const keys = path ? [keyOfSegment(path[1])] : all("board").map(keyOfSegment);
    if (keys.length === 0 || keys.length > 64)
      return this.refuse(response, 400, "bad_board: 1 to 64 boards");
    if (live) return this.stream(request, response, keys, (key) => this.topOf(key, Number(top)));
    const state = this.topOf(keys[0], Number(top));
    return state
      ? this.send(response, 200, state)
      : this.refuse(response, 404, `unknown: no board is called '${keys[0]}'`);
  }

  async page(response, file, headers = {}) {
    try {
      if (!/^[\w.]+$/.test(file)) throw new Error("no file of ours");
      const body = await readFile(fileURLToPath(new URL(file, PAGES)));
      this.send(response, 200, body, {
        "Content-Type": KINDS[file.split(".").pop()],
        "Content-Security-Policy": POLICY,
        ...headers,
      });
    } catch {
      this.refuse(response, 404, "unknown: no page is here");
    }
  }

  state(board) {
    const { name, version, epoch, season, entries } = board;
    return { board: name, version, epoch, size: entries.size, season, stale: this.stale };
  }

  topOf(key, n) {
    const board = this.boards.get(key);
    if (!board || !board.published) return undefined;
    const top = this.window(board.ranked().slice(0, Math.min(n, TOP_PUBLISHED)));
    return { ...this.state(board), top };
  }

  around(key, player, n) {
    const board = this.boards.get(key);
    if (!board || !board.published) return undefined;
    const list = board.ranked();
    const at = list.findIndex((entry) => keyOf(entry.player) === keyOf(player));
    const first = Math.max(0, Math.min(at - n, list.length - 2 * n - 1));
    const entries = at < 0 ? [] : this.window(list.slice(first, first + 2 * n + 1));
    return { ...this.state(board), player, entries };
  }

  async me(request, response, key, n) {
    const player = this.tokens.get((request.headers.authorization || "").replace(/^Bearer /, ""));
    if (player === undefined) {
      return this.refuse(response, 401, "refused: the token is not known", {
        "WWW-Authenticate": "Bearer",
      });
    }
    if (request.headers.accept === "text/event-stream") {
      return this.stream(request, response, [key], () => this.around(key, player, n));
    }
    const state = this.around(key, player, n);
    return state
      ? this.send(response, 200, state, { "Cache-Control": "no-store" })
      : this.refuse(response, 404, `unknown: no board is called '${key}'`);
  }

  stream(request, response, keys, look) {
    response.writeHead(200, {
      "Content-Type": "text/event-stream",
      "Cache-Control": "no-store",
      "X-Accel-Buffering": "no",
    });
    const idOf = (state) =>
      state ? `${state.epoch}-${state.version}${state.stale ? "s" : ""}` : "";
    const held = (request.headers["last-event-id"] || "").split(",");
    const ids = keys.map((key, i) => held[i] || "");
    const had = keys.map(() => false);
    let timer,
      sent = 0;
    const flush = () => {
      timer = undefined;
      sent = Date.now();
      keys.forEach((key, i) => {
        const state = look(key);
        const id = idOf(state);
        if (!state && had[i]) {
          had[i] = false;
          ids[i] = "";
          const data = { board: key, error: `unknown: no board is called '${key}'` };
          response.write(`event: gone\ndata: ${JSON.stringify(data)}\n\n`);
        } else if (state) {
          had[i] = true;
          const now = JSON.stringify(state);
          if (id === ids[i] && (stream.last[i] === undefined || stream.last[i] === now)) return;
          ids[i] = id;
          stream.last[i] = now;
          response.write(`event: top\nid: ${ids.join(",")}\ndata: ${now}\n\n`);
        }
      });
    };
    const stream = {
      last: [],
      changed: () => {
        timer = timer || setTimeout(flush, Math.max(0, sent + RATE_MS - Date.now()));
      },
      end: () => {
        response.write("retry: 500\n\n");
        response.end();
      },
    };
    const comment = setInterval(() => response.write(":\n\n"), 15000);
    response.write(":\n\n");
    this.streams.add(stream);
    response.on("close", () => {
      clearTimeout(timer);
      clearInterval(comment);
      this.streams.delete(stream);
    });
    flush();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { playScenes } = await import("./scenes.mjs");
  const game = await Game.start(Number(process.argv[2] || 8080));
  await playScenes(game);
  console.log(`the scenes are at ${game.base}`);
}
