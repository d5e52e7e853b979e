// first_overlay_test.mjs - what the README says of an own board in a browser: its script and its commands make the
// transparent overlay that it names. Only ports are others, and the folder of the build.
//
//   tests/web/browser/in_browser node tests/web/browser/first_overlay_test.mjs
//
//   LAUREL_BUILD   the folder with laurel.so and laurel-web; default: build/strict
//   PICTURES       as in browser.mjs
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import dgram from "node:dgram";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { createInterface } from "node:readline";
import { Browser, picture, until } from "./browser.mjs";

const README = readFileSync("README.md", "utf8");

// The block of that language in which the text is.
function block(language, text) {
  const blocks = README.matchAll(new RegExp("```" + language + "\\n([^]*?)```", "g"));
  const found = [...blocks].map(([, each]) => each).find((each) => each.includes(text));
  assert.ok(found, `the README has no ${language} with ${text}`);
  return found;
}

async function freePort() {
  const socket = dgram.createSocket("udp4").bind(0, "127.0.0.1");
  await once(socket, "listening");
  const { port } = socket.address();
  socket.close();
  return String(port);
}

const folder = mkdtempSync(join(tmpdir(), "laurel-first-"));
symlinkSync(resolve(process.env.LAUREL_BUILD || "build/strict"), join(folder, "build"));
const port = await freePort();
writeFileSync(join(folder, "server.lua"), block("lua", "-- server.lua").replace("7777", port));

const started = [];
function run(command) {
  const child = spawn("exec " + command, { shell: "/bin/sh", cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
  started.push(child);
  return createInterface({ input: child.stdout })[Symbol.asyncIterator]();
}

const browser = await Browser.start();
try {
  const server = block("sh", "luajit server.lua").trim();
  run(server.replace(/^(LUA_CPATH=\S+) /, "env $1 "));
  const gateway = block("sh", "build/laurel-web").trim().replace("7777", port);
  const { value: said } = await run(`${gateway} --listen 127.0.0.1:0`).next();
  const base = said.replace("laurel-web listens on ", "");

  const index = await browser.open(base);
  await until(index, () => /duel/.test(document.body.innerText));

  const address = block("text", "/overlay/duel").trim();
  assert.ok(README.includes("<http://127.0.0.1:8080/>"));
  const page = await browser.open(address.replace("http://127.0.0.1:8080", base), { width: 400, height: 300 });
  await until(page, () => document.querySelectorAll("main tbody tr").length === 3);
  const text = await page.evaluate(() => document.body.innerText);
  for (const word of ["Duel", "ada", "bea", "cleo"]) assert.ok(text.includes(word), text);
  // What lies behind the page is seen through it.
  const red = await page.evaluate(() => {
    document.documentElement.style.backgroundColor = "rgb(255, 0, 0)";
    return getComputedStyle(document.body).backgroundColor;
  });
  assert.equal(red, "rgba(0, 0, 0, 0)");
  await picture(page, "first_overlay");
  assert.deepEqual(page.faults, []);
  console.log("the README's overlay is in a browser");
} finally {
  await browser.close();
  for (const child of started) child.kill("SIGKILL");
  rmSync(folder, { recursive: true, force: true });
}
