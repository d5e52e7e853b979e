// text_test.mjs - what the pages make of names, numbers, times and streams, without a browser.
//
//   node tests/web/browser/text_test.mjs
import assert from "node:assert/strict";
import test from "node:test";

// boards.js and its like are modules of a browser; those tested here need nothing of one.
const load = async (file) => {
  const { readFile } = await import("node:fs/promises");
  const url = new URL(`../../../module/web/pages/${file}`, import.meta.url);
  const source = (await readFile(url, "utf8")).replace(
    /^import .*boards\.js";$/m,
    "const serverNow = () => 0;",
  );
  return import("data:text/javascript," + encodeURIComponent(source));
};
const { scoreText, timeText, widthOf } = await load("numbers.js");
const { encoded, encodedAgain, keyOf, playerText, shown } = await load("text.js");
const { EventParser } = await load("stream.js");
const { readOptions } = await load("options.js");
const { countdownText, nextMoment } = await load("clock.js");

test("scores have the board's decimals, or are shown as Lua prints them", () => {
  assert.equal(scoreText(12.5, 2), "12.50");
  assert.equal(scoreText(-0.25, 2), "-0.25");
  assert.equal(scoreText(191, 0), "191");
  assert.equal(scoreText(0.1 + 0.2), "0.3");

  assert.equal(scoreText(1e300), "1e+300");
});

test("times are minutes or hours, rounded once", () => {
  assert.equal(timeText(61.5), "1:01.500");
  assert.equal(timeText(61.5, 3), "1:01.500");
  assert.equal(timeText(59.9996, 3), "1:00.000");
  assert.equal(timeText(3599.996, 2), "1:00:00.00");
  assert.equal(timeText(53.21, 2), "0:53.21");
  assert.equal(timeText(3723, 0), "1:02:03");
  assert.equal(timeText(0, 0), "0:00");
  assert.equal(timeText(-61.5, 1), "-1:01.5");
  assert.equal(timeText(1e300, 3), scoreText(1e300, 3));
});

test("a width counts digits, and the gaps between groups", () => {
  assert.deepEqual(widthOf("1234567"), { digits: 7, gaps: 2 });
  assert.deepEqual(widthOf("999"), { digits: 3, gaps: 0 });
  assert.deepEqual(widthOf("-1234.5"), { digits: 6.55, gaps: 1 });
});

test("control and layout characters are shown escaped, letters of all scripts and emoji as they are", () => {
  assert.equal(shown("a\u001b[31mb\n"), "a\\x1b[31mb\\x0a");
  assert.equal(shown("\u202eevil\u2066"), "\\u{202e}evil\\u{2066}");
  assert.equal(shown("\u200b"), "\\u{200b}");
  for (const name of ["月影", "نجمة", "👩‍👩‍👧", "<b>x</b>", "नमस्ते", "a\\b"])
    assert.equal(shown(name), name);
});

test("bytes that are not UTF-8 are shown as text where most are, else as hexadecimal digits", () => {
  const base64 = (bytes) => ({ base64: Buffer.from(bytes).toString("base64") });
  assert.equal(shown(base64([0x42, 0x6f, 0x62, 0xff])), "Bob\ufffd");
  assert.equal(shown(base64([0xff, 0x00, 0x10, 0x9f])), "#ff00109f");
  assert.equal(shown({ base64: "?" }), "");
  assert.equal(shown(undefined), "");
});

test("a player without a name that can be seen is shown by the id", () => {
  assert.equal(playerText({ player: "id7", name: "Ada" }), "Ada");
  assert.equal(playerText({ player: "id7" }), "id7");
  assert.equal(playerText({ player: "id7", name: "  " }), "id7");
});

test("names that differ have keys that differ", () => {
  assert.notEqual(keyOf("QQ=="), keyOf({ base64: "QQ==" }));
  assert.notEqual(keyOf("#QQ=="), keyOf({ base64: "QQ==" }));
});

test("names go into addresses and come out of them byte for byte", () => {
  assert.equal(encoded("a/b ?&#+"), "a%2Fb%20%3F%26%23%2B");
  assert.equal(encoded({ base64: Buffer.from([0xff, 0x41]).toString("base64") }), "%FF%41");
  assert.equal(encodedAgain("a%2Fb&c=+"), "a%2Fb%26c%3D%2B");
  assert.equal(encodedAgain("%ff"), "%ff");
  assert.equal(encodedAgain("a/b"), "a%2Fb");
});

test("a stream is read the same however it is cut into pieces", () => {
  const stream =
    ":\n\nretry: 500\nid: 7\r\nevent: top\r\ndata: {\r\ndata: }\r\n\r\nevent: gone\ndata:x\n\ndata: 1\r\r: c\nid\ndata\n\n";
  const whole = [];
  const first = new EventParser();
  first.push(stream, (event) => whole.push(event));
  assert.deepEqual(whole, [
    { type: "top", data: "{\n}", id: "7" },
    { type: "gone", data: "x", id: "7" },
    { type: "message", data: "1", id: "7" },
    { type: "message", data: "", id: "" },
  ]);
  assert.equal(first.retry, 500);
  for (let cut = 1; cut < stream.length; cut++) {
    const events = [];
    const parser = new EventParser();
    parser.push(stream.slice(0, cut), (event) => events.push(event));
    parser.push(stream.slice(cut), (event) => events.push(event));
    assert.deepEqual(events, whole, `cut at ${cut}`);
  }
});

test("what an address asks for and is not allowed counts as left out", () => {
  const { top, scale, n, title, clock, time } = readOptions(
    "?top=10&scale=1.5&n=3&title=&clock=1&format=time",
  );
  assert.deepEqual(
    { top, scale, n, title, clock, time },
    { top: 10, scale: 1.5, n: 3, title: "", clock: true, time: true },
  );
  for (const bad of ["0", "101", "1.5", "x", "-1", "1e1", ""])
    assert.equal(readOptions(`?top=${bad}`).top, 10);
  assert.equal(readOptions("?top=100").top, 100);
  for (const bad of ["x", "0", "-2", "NaN"]) assert.equal(readOptions(`?scale=${bad}`).scale, 1);
  assert.equal(readOptions("?scale=1000").scale, 8);
  assert.equal(readOptions("?n=11").n, 2);
  assert.equal(readOptions("").title, null);
});

test("a countdown is to what comes first, and says when results have ended", () => {
  assert.deepEqual(nextMoment({ closes_at: 10, resets_at: 20 }, 5), { label: "ends in", at: 10 });
  assert.deepEqual(nextMoment({ closes_at: 10, resets_at: 20 }, 15), { label: "next in", at: 20 });
  assert.deepEqual(nextMoment({ closes_at: 30, resets_at: 20 }, 15), {
    label: "resets in",
    at: 20,
  });
  assert.deepEqual(nextMoment({ closes_at: 10 }, 15), { label: "closed" });
  assert.deepEqual(nextMoment({}, 15), { label: "" });
  assert.equal(countdownText(0.2), "0:01");
  assert.equal(countdownText(245), "4:05");
  assert.equal(countdownText(11045), "3:04:05");
  assert.equal(countdownText(2 * 86400 + 11045), "2d 03:04:05");
  assert.equal(countdownText(-3), "0:00");
});
