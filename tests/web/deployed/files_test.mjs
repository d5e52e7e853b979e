// files_test.mjs - the gateway's pages are in the program: once it listens, it opens no file, whatever is asked.
//
//   node tests/web/deployed/files_test.mjs
//
//   LAUREL_BUILD   as in tests/web/browser/game_laurel.mjs
import assert from "node:assert/strict";
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import test, { after, before } from "node:test";
import { Game } from "../browser/game_laurel.mjs";

const PATIENCE_MS = 10000;
const folder = mkdtempSync(join(tmpdir(), "laurel-web-files-"));
const trace = join(folder, "trace");
let game;

before(async () => {
  const program = resolve(process.env.LAUREL_BUILD || "build/strict", "laurel-web");
  const traced = join(folder, "laurel-web");
  // -D: the program is the child of this process, and gets its signals.
  writeFileSync(traced, `#!/bin/sh\nexec strace -D -f -qq -e trace=%file -o '${trace}' '${program}' "$@"\n`);
  chmodSync(traced, 0o755);
  process.env.LAUREL_WEB = traced;
  game = await Game.start();
  await game.publish("kills", {});
  await game.submit("kills", "ada", 3);
});
after(async () => {
  await game.close();
  rmSync(folder, { recursive: true, force: true });
});

const opened = () => readFileSync(trace, "utf8").split("\n").filter((line) => line !== "");

// The answer's status, and its text; of a stream its first bytes.
async function get(path, headers = {}) {
  const ending = new AbortController();
  const answer = await fetch(game.base + path, { headers, signal: ending.signal });
  let text = "";
  if (answer.headers.get("content-type").startsWith("text/event-stream")) {
    text = Buffer.from((await answer.body.getReader().read()).value).toString();
    ending.abort();
  } else {
    text = await answer.text();
  }
  return { status: answer.status, text };
}

// What a page loads, and what that loads.
async function withAllThatItLoads(page) {
  const asked = new Set();
  const waiting = [page];
  while (waiting.length > 0) {
    const path = waiting.pop();
    if (asked.has(path)) continue;
    asked.add(path);
    const { status, text } = await get(path);
    assert.equal(status, 200, path);
    for (const [, , found] of text.matchAll(/(src=|href=|from )"([^"]+\.(?:js|css|svg))"/g)) {
      waiting.push(new URL(found, game.base + path).pathname);
    }
  }
  return asked.size;
}

test("pages, scripts, JSON, streams and errors are served without opening a file", async () => {
  for (const end = Date.now() + PATIENCE_MS; ; ) {
    const { status, text } = await get("/v1/boards/kills");
    if (status === 200 && JSON.parse(text).top.length === 1) break;
    assert.ok(Date.now() < end, `the board is not served: ${status} ${text}`);
  }
  const before = opened();
  assert.ok(before.some((line) => line.includes("libc.so")), "the trace shows what the program loads");
  assert.ok(before.some((line) => line.includes(game.tokenFile)), "the trace shows that it reads the token");

  let loaded = 0;
  for (const page of ["/", "/overlay/kills?theme=clear", "/me?board=kills"]) {
    loaded += await withAllThatItLoads(page);
  }
  assert.ok(loaded >= 15, `the pages load ${loaded} files`);
  const token = await game.token("ada");
  const asked = [
    ["/v1/boards", 200],
    ["/v1/boards/kills?top=3", 200],
    ["/v1/boards/kills/live", 200],
    ["/v1/live?board=kills", 200],
    ["/v1/me?board=kills", 200, { Authorization: `Bearer ${token}` }],
    ["/v1/me?board=kills", 401],
    ["/v1/boards/none", 404],
    ["/../../../etc/passwd", 404],
    ["/nothing", 404],
    ["/metrics", 200],
    ["/healthz", 200],
  ];
  for (const [path, wanted, headers] of asked) {
    const { status } = await get(path, headers);
    assert.equal(status, wanted, path);
  }
  assert.deepEqual(opened().slice(before.length), []);
});
