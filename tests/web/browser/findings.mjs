// findings.mjs - a test is a list of findings, each true or not. They run one after the other,
// since they share the game and one browser.
//
//   GAME   a module whose Game is driven; default: gateway_mock.mjs. What a Game has:
//     static start()            starts it with its gateway; `base` is the gateway's address
//     publish(board, spec)      spec: order, decimals, columns, meta, closes_at as in /v1/boards; a
//                               board that was published before is published again as it is
//     unpublish(board), reset(board), mark(board)
//     name(player, name)        save_player
//     submit(board, player, score)
//     submitAll(board, [[player, score or undefined]...])   at one tick; undefined takes the player off
//     top(board, n)             entries as the game itself has them, not as the gateway says
//     token(player), revoke(token)
//     stopGateway(), startGateway(), stopServer(), startServer()
//     close()
import assert from "node:assert/strict";
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, until } from "./browser.mjs";

const wanted = process.argv[2] || "";
const findings = [];

export function finding(name, check) {
  if (name.includes(wanted)) findings.push({ name, check });
}

// Closes a page, which had no fault and broke no policy.
async function closeFaultless(page) {
  if (page.isClosed()) return;
  assert.deepEqual(page.faults, []);
  assert.deepEqual(await page.evaluate(() => globalThis.violations), []);
  await page.close();
}

// Runs the findings with { game, browser, open, close }. open(path, options) opens a page of the
// gateway; all are closed at the end, or by close(page). A browser opens six connections to a
// server: five overlays at once.
export async function runFindings() {
  const module = pathToFileURL(resolve(process.env.GAME || "tests/web/browser/gateway_mock.mjs"));
  const { Game } = await import(module);
  const game = await Game.start();
  const browser = await Browser.start();
  let failed = 0;
  for (const { name, check } of findings) {
    const pages = [];
    const open = async (path, options) => {
      const page = await browser.open(game.base + path, options);
      pages.push(page);
      return page;
    };
    const began = Date.now();
    try {
      await check({ game, browser, open, close: closeFaultless });
      for (const page of pages) await closeFaultless(page);
      console.log(`ok      ${name} (${Date.now() - began} ms)`);
    } catch (error) {
      failed++;
      console.log(
        `FAILED  ${name}\n        ${String(error.stack || error).replace(/\n/g, "\n        ")}`,
      );
      for (const page of pages.filter((each) => !each.isClosed())) {
        const text = await page
          .evaluate(() => document.body.innerText.slice(0, 400))
          .catch(() => "gone");
        console.log(`        the page says: ${JSON.stringify(text)}`);
      }
    }
    for (const page of pages) if (!page.isClosed()) await page.close().catch(() => {});
  }
  await browser.close();
  await game.close();
  console.log(`${findings.length - failed} of ${findings.length} findings hold`);
  process.exit(failed > 0 ? 1 : 0);
}

// Runs in the page: its rows as [rank, name, score...], of the table inside the selector.
const ROWS = `(selector) => [...document.querySelectorAll(selector + " tbody tr")].map((row) =>
  ["rank", "who", "score"].flatMap((part) => [...row.querySelectorAll("." + part)].map((cell) => cell.textContent)))`;

export function rowsOf(page, selector = "main") {
  return page.evaluate(`(${ROWS})(${JSON.stringify(selector)})`);
}

// Waits until the page's rows are these; says how they differ if they do not become so.
export async function untilRows(page, expected, selector = "main") {
  const wanted = JSON.stringify(expected);
  const asked = `JSON.stringify((${ROWS})(${JSON.stringify(selector)})) === ${JSON.stringify(wanted)}`;
  try {
    await page.waitForFunction(asked, { polling: 60 });
  } catch {
    assert.deepEqual(await rowsOf(page, selector), expected);
  }
}

// What the rows of a board without columns must be.
export async function expectedRows(game, board, n, decimals) {
  const entries = await game.top(board, n);
  return entries.map(({ rank, name, player, score }) => [
    String(rank),
    name || player,
    decimals === undefined ? String(score) : score.toFixed(decimals),
  ]);
}

export { assert, until };
