// policy_test.mjs - the pages as files: nothing inline, nothing from another place, so that
// `default-src 'self'` is enough for them.
//
//   node tests/web/browser/policy_test.mjs
import assert from "node:assert/strict";
import { readFile, readdir } from "node:fs/promises";
import test from "node:test";

const PAGES = new URL("../../../module/web/pages/", import.meta.url);
const files = await readdir(PAGES);
const read = (file) => readFile(new URL(file, PAGES), "utf8");

test("pages have no inline script, style, or handler", async () => {
  for (const file of files.filter((name) => name.endsWith(".html"))) {
    const html = await read(file);
    assert.doesNotMatch(html, /<style|\sstyle=|\son\w+=|javascript:/i, file);
    for (const [whole, content] of html.matchAll(/<script[^>]*>([^]*?)<\/script>/g))
      assert.equal(content, "", whole);
  }
});

test("scripts write text, never markup", async () => {
  for (const file of files.filter((name) => name.endsWith(".js"))) {
    assert.doesNotMatch(
      await read(file),
      /innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function|DOMParser|setAttribute\("style/,
      file,
    );
  }
});

test("pages take everything from the gateway itself, and each file that they name is there", async () => {
  for (const file of files) {
    const text = (await read(file)).replace("http://www.w3.org/2000/svg", "");
    assert.doesNotMatch(text, /https?:|url\(/, file);
    for (const [, name] of text.matchAll(/"\/assets\/([^"]+)"|from "\.\/([^"]+)"/g)) {
      if (name) assert.ok(files.includes(name), `${file} names ${name}`);
    }
    for (const [, name] of text.matchAll(/from "\.\/([^"]+)"/g))
      assert.ok(files.includes(name), `${file} names ${name}`);
  }
});
