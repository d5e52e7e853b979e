// proxies_test.mjs - the gateway behind a reverse proxy, as module/docs/web.md shows it: nothing is held back, and
// the gateway knows who its clients are.
//
//   node tests/web/deployed/proxies_test.mjs nginx|caddy
//
//   LAUREL_BUILD   as in tests/web/browser/game_laurel.mjs
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { once } from "node:events";
import http2 from "node:http2";
import https from "node:https";
import test, { after, before } from "node:test";
import zlib from "node:zlib";
import { Game } from "../browser/game_laurel.mjs";
import { HOST, Proxy } from "./proxy.mjs";

const VIEWERS_OF_ADDRESS = 12;
const PATIENCE_MS = 10000;
const kind = process.argv[2];
let game;
let proxy;
let score = 0;

before(async () => {
  const gatewayOptions = ["--behind-proxy", "--viewers-per-address", String(VIEWERS_OF_ADDRESS)];
  game = await Game.start({ gatewayOptions });
  await game.publish("kills", {});
  await game.publish("a/b", {});
  proxy = await Proxy.start(kind, game.base);
  await hasBoards();
});
after(async () => {
  if (proxy) await proxy.close();
  await game.close();
});

async function within(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} did not come`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}

// A request over HTTP/1.1. Its answer has begun, or it has become a WebSocket.
async function ask(path, { headers = {}, method = "GET", from = "127.0.0.1" } = {}) {
  const request = https.request({
    host: "127.0.0.1",
    port: proxy.port,
    servername: HOST,
    ca: proxy.authorities,
    localAddress: from,
    agent: false,
    method,
    path,
    headers: { Host: proxy.authority, ...headers },
  });
  request.end();
  const answered = new Promise((done, failed) => {
    request.on("response", (response) => done({ response }));
    request.on("upgrade", (response, socket, head) => done({ response, socket, head }));
    request.on("error", failed);
  });
  const answer = await within(answered, `the answer to ${path}`);
  return { ...answer, status: answer.response.statusCode, close: () => request.destroy() };
}

async function get(path, options) {
  const { response, status } = await ask(path, options);
  let body = "";
  for await (const bytes of response) body += bytes;
  return { status, body };
}

async function hasBoards() {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const statuses = [];
    for (const name of ["kills", "a%2Fb"]) statuses.push((await get(`/v1/boards/${name}`)).status);
    if (statuses.every((status) => status === 200)) return;
    assert.ok(Date.now() < end, `the boards are not served: ${statuses}`);
  }
}

// Reads an event stream, as it comes.
class Events {
  constructor(source, encoding) {
    this.states = [];
    let text = "";
    let bytes = source;
    if (encoding === "gzip") {
      bytes = zlib.createGunzip({ flush: zlib.constants.Z_SYNC_FLUSH });
      source.on("error", () => bytes.destroy());
      source.pipe(bytes);
    }
    bytes.on("error", () => {}); // it was closed
    bytes.on("data", (some) => {
      const blocks = (text + some).split("\n\n");
      text = blocks.pop();
      for (const block of blocks) {
        const data = /^data: (.*)$/m.exec(block);
        if (data) this.states.push(JSON.parse(data[1]));
      }
      if (this.wake) this.wake();
    });
  }

  // Waits for the state whose leader has the score.
  async leader(wanted) {
    const found = (async () => {
      while (!this.states.some(({ top }) => top.length > 0 && top[0].score === wanted)) {
        await new Promise((wake) => (this.wake = wake));
      }
    })();
    await within(found, `the score ${wanted}`);
  }
}

// Makes a change, and returns how many milliseconds each of the streams takes to show it.
async function delays(streams) {
  const wanted = ++score;
  const began = performance.now();
  const seen = streams.map((stream) => stream.leader(wanted).then(() => performance.now() - began));
  await game.submit("kills", "ada", wanted);
  return Promise.all(seen);
}

// Most of ten changes are shown within 100 ms. They come more slowly than the rate, which would hold them back.
async function findNotHeldBack(stream, about) {
  await delays([stream]);
  const all = [];
  for (let i = 0; i < 10; i++) {
    await new Promise((done) => setTimeout(done, 150));
    all.push(...(await delays([stream])));
  }
  const sorted = all.map(Math.round).sort((a, b) => a - b);
  console.log(`# ${kind}, ${about}: ${sorted.join(" ")} ms`);
  assert.ok(sorted[5] <= 100, `an event takes ${sorted} ms`);
  assert.ok(sorted[9] <= 1000, `an event takes ${sorted} ms`);
}

function session() {
  return http2.connect(`https://127.0.0.1:${proxy.port}`, { servername: HOST, ca: proxy.authorities });
}

async function stream2(of, path, headers = {}) {
  const request = of.request({ ":path": path, ":authority": proxy.authority, ...headers });
  const [answer] = await within(once(request, "response"), `the answer to ${path}`);
  assert.equal(answer[":status"], 200);
  return new Events(request, answer["content-encoding"]);
}

test("curl is served over HTTP/2 with the proxy's certificate", () => {
  const words = ["-sS", "--http2", "--cacert", proxy.certificate];
  words.push("--resolve", `${proxy.authority}:127.0.0.1`, "-w", "\n%{http_version} %{http_code}");
  const said = execFileSync("curl", [...words, `https://${proxy.authority}/v1/boards`], {
    encoding: "utf8",
  });
  const [body, ended] = said.split("\n");
  assert.equal(ended, "2 200");
  assert.deepEqual(JSON.parse(body).map(({ board }) => board), ["a/b", "kills", "race"]);
});

test("an event arrives within 100 ms of its cause over HTTP/1.1, compressed or not", async () => {
  for (const encoding of ["identity", "gzip"]) {
    const { response, status, close } = await ask("/v1/boards/kills/live", {
      headers: { "Accept-Encoding": encoding },
    });
    assert.equal(status, 200);
    if (kind === "nginx" && encoding === "gzip") assert.equal(response.headers["content-encoding"], "gzip");
    await findNotHeldBack(
      new Events(response, response.headers["content-encoding"]),
      `HTTP/1.1, ${encoding}`,
    );
    close();
  }
});

test("ten streams share a connection of HTTP/2, and none is held back", async () => {
  const shared = session();
  const streams = [];
  for (let i = 0; i < 10; i++) {
    const headers = { "accept-encoding": i % 2 === 0 ? "gzip" : "identity" };
    streams.push(await stream2(shared, `/v1/boards/kills/live?top=${i + 1}`, headers));
  }
  await findNotHeldBack(streams[0], "HTTP/2, gzip");
  await findNotHeldBack(streams[1], "HTTP/2, identity");
  await delays(streams);
  shared.destroy();
});

test("a WebSocket goes through, for the gateway's own pages and no others", async () => {
  const headers = {
    Connection: "Upgrade",
    Upgrade: "websocket",
    "Sec-WebSocket-Version": "13",
    "Sec-WebSocket-Key": "dGhlIHNhbXBsZSBub25jZQ==",
  };
  const own = { ...headers, Origin: `https://${proxy.authority}` };
  const { status, response, socket, head } = await ask("/v1/boards/kills/live", { headers: own });
  assert.equal(status, 101);
  assert.equal(response.headers["sec-websocket-accept"], "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  let bytes = Buffer.from(head);
  socket.on("data", (some) => (bytes = Buffer.concat([bytes, some])));
  const wanted = ++score;
  await game.submit("kills", "ada", wanted);
  const seen = (async () => {
    while (!bytes.includes(`"score":${wanted},`)) await once(socket, "data");
  })();
  await within(seen, "a frame");
  socket.destroy();
  const other = await ask("/v1/boards/kills/live", {
    headers: { ...headers, Origin: "https://other.example" },
  });
  assert.equal(other.status, 403);
  other.close();
});

test("the gateway's own pages may ask for /v1/me, and a name may have a slash", async () => {
  const own = { Origin: `https://${proxy.authority}` };
  const allowed = await get("/v1/me?board=kills", { method: "OPTIONS", headers: own });
  assert.equal(allowed.status, 204);
  const token = await game.token("ada");
  const mine = await get("/v1/me?board=kills&n=0", {
    headers: { ...own, Authorization: `Bearer ${token}` },
  });
  assert.equal(mine.status, 200);
  assert.equal(JSON.parse(mine.body).player, "ada");
  const slash = await get("/v1/boards/a%2Fb");
  assert.equal(slash.status, 200);
  assert.equal(JSON.parse(slash.body).board, "a/b");
});

test("limits count the clients of the proxy, whatever they say of themselves", async () => {
  const open = [];
  for (let i = 0; i < VIEWERS_OF_ADDRESS; i++) {
    const headers = { "X-Forwarded-For": `9.9.9.${i}` };
    open.push(await ask("/v1/boards/kills/live", { from: "127.0.0.2", headers }));
  }
  assert.deepEqual([...new Set(open.map(({ status }) => status))], [200]);
  open.push(await ask("/v1/boards/kills/live", { from: "127.0.0.2" }));
  assert.equal(open.at(-1).status, 429);
  open.push(
    await ask("/v1/boards/kills/live", { from: "127.0.0.2", headers: { "X-Forwarded-For": "9.9.9.9" } }),
  );
  assert.equal(open.at(-1).status, 429);
  open.push(await ask("/v1/boards/kills/live", { from: "127.0.0.3" }));
  assert.equal(open.at(-1).status, 200);
  for (const each of open) each.close();
});

test("while the gateway is away the proxy answers 502, and then it serves the newest state", async () => {
  const { response, close } = await ask("/v1/boards/kills/live", { from: "127.0.0.4" });
  response.resume();
  const ended = new Promise((done) => response.on("close", done));
  await game.stopGateway();
  await within(ended, "the end of the stream");
  close();
  assert.equal((await get("/v1/boards/kills", { from: "127.0.0.4" })).status, 502);
  await game.startGateway();
  await hasBoards();
  const again = await ask("/v1/boards/kills/live", { from: "127.0.0.4" });
  await new Events(again.response).leader(score);
  again.close();
});
