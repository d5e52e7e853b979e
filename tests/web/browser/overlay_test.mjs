// overlay_test.mjs - the overlay page in a browser: it shows what the game has, and keeps still
// where it should.
import { picture, still } from "./browser.mjs";
import {
  assert,
  expectedRows,
  finding,
  rowsOf,
  runFindings,
  until,
  untilRows,
} from "./findings.mjs";
import { boxes, crooked, faint } from "./pages_in.mjs";
import { fill } from "./scenes.mjs";

const NEWEST_MS = 3000; // after a gateway is back

const notice = (page) =>
  page.$eval("#notice", (element) => (element.hidden ? "" : element.textContent));
const untilNotice = (page, text) =>
  until(
    page,
    (wanted) => {
      const element = document.getElementById("notice");
      return (element.hidden ? "" : element.textContent) === wanted;
    },
    text,
  );
const untilCount = (page, count) =>
  until(page, (wanted) => document.querySelectorAll("tbody tr").length === wanted, count);

// Counts the animations that a page begins: in `moves`, their first frames.
const countMoves = (page) =>
  page.evaluate(() => {
    globalThis.moves = [];
    const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, timing) {
      globalThis.moves.push(frames[0]);
      return animate.call(this, frames, timing);
    };
  });

finding(
  "rows are the board's, in its order and with its decimals, after each of many changes",
  async ({ game, open }) => {
    await game.publish("order", { decimals: 2 });
    await fill(game, "order", 14, (i) => 100 - i);
    const page = await open("/overlay/order?top=10");
    await untilRows(page, await expectedRows(game, "order", 10, 2));
    let seed = 7;
    const random = (below) => (seed = (seed * 48271) % 2147483647) % below;
    for (let i = 0; i < 25; i++) {
      const scores = [];
      for (let k = 0; k < 3; k++) scores.push([`id${random(14)}`, random(20000) / 100]);
      await game.submitAll("order", scores);
      await untilRows(page, await expectedRows(game, "order", 10, 2));
    }
    await still(page);
    assert.deepEqual(await page.evaluate(crooked), []);
  },
);

finding("markup in a name stays text", async ({ game, open }) => {
  const names = [
    "<b>bold</b>",
    '<img src=x onerror="globalThis.pwned=1">',
    "<script>globalThis.pwned=1</script>",
    "&lt;i&gt;",
    '"><svg onload=globalThis.pwned=1>',
  ];
  await game.publish("<u>board</u>", { decimals: 0 });
  for (const [i, name] of names.entries()) await game.name(`markup${i}`, name);
  await game.submitAll(
    "<u>board</u>",
    names.map((_, i) => [`markup${i}`, 10 - i]),
  );
  const title = encodeURIComponent("<h1>title</h1>");
  for (const query of ["", `?title=${title}`]) {
    const page = await open("/overlay/" + encodeURIComponent("<u>board</u>") + query);
    await untilRows(
      page,
      names.map((name, i) => [String(i + 1), name, String(10 - i)]),
    );
    assert.equal(
      await page.$eval("#title", (element) => element.textContent),
      query ? "<h1>title</h1>" : "<u>board</u>",
    );
    assert.equal(
      await page.$$eval(
        "main b, main img, main svg, main u, main script, main h1 h1",
        (all) => all.length,
      ),
      0,
    );
    assert.equal(await page.evaluate(() => globalThis.pwned), undefined);
  }
});

finding(
  "names in all scripts, and names of control characters, keep the order of the cells",
  async ({ game, open }) => {
    const names = [
      "月影のハヤブサ",
      "نجمة الصحراء 42",
      "שלום",
      "🐉🔥",
      "👩‍👩‍👧‍👦",
      "김하늘",
      "अदिति शर्मा",
      "\u202etxt.exe",
      "\u2067abc",
      "a\u0300\u0301\u0302\u0303\u0304",
      "x".repeat(200),
      "a\tb\nc",
    ];
    await game.publish("scripts", { decimals: 0 });
    for (const [i, name] of names.entries()) await game.name(`script${i}`, name);
    await game.submitAll(
      "scripts",
      names.map((_, i) => [`script${i}`, 100 - i]),
    );
    for (const theme of ["dark", "light", "clear"]) {
      const page = await open(`/overlay/scripts?top=20&theme=${theme}`, {
        width: 400,
        height: 700,
      });
      await untilCount(page, names.length);
      assert.deepEqual(await page.evaluate(crooked), []);
      const shown = (await rowsOf(page)).map((row) => row[1]);
      assert.deepEqual(shown.slice(0, 7), names.slice(0, 7));
      assert.equal(shown[7], "\\u{202e}txt.exe");
      assert.equal(shown[11], "a\\x09b\\x0ac");
      const heights = new Set(
        (await page.evaluate(boxes)).map(({ rank }) => Math.round(rank.height)),
      );
      assert.equal(heights.size, 1, "rows are of one height");
      await picture(page, `names-${theme}`);
    }
  },
);

finding("ids and names that are not UTF-8 are shown", async ({ game, open }) => {
  const id = { base64: Buffer.from([0xff, 0x01, 0x10, 0x9f]).toString("base64") };
  const board = { base64: Buffer.from([0x62, 0x6f, 0x61, 0x72, 0x64, 0xfe]).toString("base64") };
  await game.publish(board, { decimals: 0 });
  await game.submit(board, id, 3);
  const page = await open("/overlay/board%fe");
  await untilRows(page, [["1", "#ff01109f", "3"]]);
  assert.equal(await page.$eval("#title", (element) => element.textContent), "board\ufffd");
});

finding("rows glide from their old places to their new ones", async ({ game, open }) => {
  await game.publish("glide", { decimals: 0 });
  await fill(game, "glide", 6, (i) => 60 - i * 10);
  const page = await open("/overlay/glide");
  await untilCount(page, 6);
  const before = await page.evaluate(boxes);
  await countMoves(page);
  await game.submit("glide", "id5", 55); // from place 6 to place 2
  await until(page, () => globalThis.moves.length > 0);
  const moves = await page.evaluate(() => globalThis.moves.map((frame) => frame.transform));
  const up = Math.round(before[5].rank.top - before[1].rank.top),
    down = Math.round(before[0].rank.top - before[1].rank.top);
  const ys = moves.map((move) => Math.round(Number(/,(-?[\d.]+)px/.exec(move)[1])));
  assert.deepEqual(
    ys.sort((a, b) => a - b),
    [down, down, down, down, up].sort((a, b) => a - b),
  );
  await still(page);
  assert.deepEqual(
    (await page.evaluate(boxes)).map(({ rank }) => rank.top),
    before.map(({ rank }) => rank.top),
  );
});

finding("nothing moves for a viewer who asks for less motion", async ({ game, open }) => {
  await game.publish("reduced", { decimals: 0 });
  await fill(game, "reduced", 6, (i) => 60 - i * 10);
  const page = await open("/overlay/reduced", { reduced: true });
  await untilCount(page, 6);
  await countMoves(page);
  await game.submit("reduced", "id5", 95);
  await game.submit("reduced", "someone", 99);
  await untilRows(page, await expectedRows(game, "reduced", 10, 0));
  assert.deepEqual(await page.evaluate(() => globalThis.moves), []);
  assert.equal(await page.evaluate(() => document.getAnimations().length), 0);
});

finding("texts keep their places when numbers change", async ({ game, open }) => {
  await game.publish("steady", { decimals: 1 });
  await fill(game, "steady", 5, (i) => 1500.1 - i * 300);
  for (const theme of ["dark", "clear"]) {
    const page = await open(`/overlay/steady?theme=${theme}`, { width: 500 });
    await untilCount(page, 5);
    const before = await page.evaluate(boxes);
    for (const add of [0.7, 77.7, 88.8, 111.1]) {
      await game.submitAll(
        "steady",
        [0, 1, 2, 3, 4].map((i) => [`id${i}`, Math.round((1500.1 - i * 300 + add) * 10) / 10]),
      );
      await untilRows(page, await expectedRows(game, "steady", 10, 1));
      assert.deepEqual(await page.evaluate(boxes), before, `after +${add}`);
    }
    // More digits: names and ends of numbers stay, too.
    await game.submit("steady", "id0", 123456.7);
    await untilRows(page, await expectedRows(game, "steady", 10, 1));
    assert.deepEqual(await page.evaluate(boxes), before);
    await game.submitAll("steady", [["id0", 1500.1]]);
    await untilRows(page, await expectedRows(game, "steady", 10, 1));
    assert.deepEqual(await page.evaluate(boxes), before);
  }
});

finding(
  "▲ and ▼ say how many ranks were climbed since the mark, and new players are marked",
  async ({ game, open }) => {
    await game.publish("marked", { decimals: 0 });
    await fill(game, "marked", 5, (i) => 50 - i * 10);
    await game.mark("marked");
    const page = await open("/overlay/marked");
    await untilCount(page, 5);
    await game.submit("marked", "id4", 45);
    await until(page, () => document.querySelectorAll(".change .up").length === 1);
    assert.deepEqual(
      await page.$$eval("tbody .change", (all) => all.map((cell) => cell.textContent)),
      ["", "▲3", "▼1", "▼1", "▼1"],
    );
    assert.deepEqual(
      await page.$$eval("tbody .change [role=img]", (all) => all.map((mark) => mark.ariaLabel)),
      ["up 3", "down 1", "down 1", "down 1"],
    );
    await game.submit("marked", "late", 47);
    await until(page, () => document.querySelector(".entered .who")?.textContent.match(/late/i));
    const tags = await page.$$eval("tbody tr", (rows) =>
      rows.map((row) => !row.querySelector(".tag").hidden),
    );
    assert.deepEqual(tags, [false, true, false, false, false, false]);
  },
);

finding("colours keep WCAG AA on each theme", async ({ game, open }) => {
  await game.publish("colours", { decimals: 0, closes_at: Date.now() / 1000 + 5000 });
  await fill(game, "colours", 8, (i) => 80 - i * 10);
  await game.mark("colours");
  await game.submitAll("colours", [
    ["id7", 65],
    ["new one", 64],
  ]);
  for (const theme of ["dark", "light", "clear"]) {
    const page = await open(`/overlay/colours?theme=${theme}&clock=1`);
    await untilCount(page, 9);
    await page.evaluate(() => {
      // what is seldom shown
      document.getElementById("notice").hidden = false;
      document.getElementById("notice-text").textContent = "not live";
    });
    assert.deepEqual(await page.evaluate(faint), [], theme);
  }
});

finding("the clear theme is transparent, the others are not", async ({ game, open }) => {
  await game.publish("ground", { decimals: 0 });
  await fill(game, "ground", 3, (i) => 9 - i);
  for (const [theme, isClear] of [
    ["clear", true],
    ["dark", false],
    ["light", false],
  ]) {
    const page = await open(`/overlay/ground?theme=${theme}`);
    await untilCount(page, 3);
    const grounds = await page.evaluate(() =>
      [document.documentElement, document.body, ...document.querySelectorAll("tr")].map(
        (element) => getComputedStyle(element).backgroundColor,
      ),
    );
    const none = "rgba(0, 0, 0, 0)";
    assert.equal(
      grounds.every((ground) => ground === none),
      isClear,
      `${theme}: ${grounds}`,
    );
    assert.equal(grounds[1] === none, isClear);
  }
});

finding(
  "a screen reader finds one table with its rows, and hears no change",
  async ({ game, open }) => {
    await game.publish("heard", { decimals: 1 });
    await fill(game, "heard", 3, (i) => 9.5 - i);
    const page = await open("/overlay/heard?title=Tonight");
    await untilCount(page, 3);
    const tree = await page.accessibility.snapshot({ interestingOnly: false });
    const all = [];
    const walk = (node) => {
      all.push(node);
      (node.children || []).forEach(walk);
    };
    walk(tree);
    const named = (role) => all.filter((node) => node.role === role).map((node) => node.name);
    assert.deepEqual(named("table"), ["Tonight"]);
    assert.equal(named("row").length, 4);
    assert.deepEqual(named("columnheader"), ["rank", "player", "score"]);
    assert.deepEqual(named("rowheader"), ["Ada Abel", "Kaja Storm", "Eino Quill"]);
    assert.deepEqual(
      named("cell").filter((name) => /\./.test(name)),
      ["9.5", "8.5", "7.5"],
    );
    const live = await page.$$eval(
      "[aria-live], [role=status], [role=alert], [role=log], output",
      (found) => found.length,
    );
    assert.equal(live, 0, "no part of the page is announced by itself");
  },
);

finding(
  "a restart of the gateway: the rows stay, and the newest state is there within 3 s",
  async ({ game, open }) => {
    await game.publish("restart", { decimals: 0 });
    await fill(game, "restart", 5, (i) => 50 - i * 10);
    const page = await open("/overlay/restart");
    await untilRows(page, await expectedRows(game, "restart", 10, 0));
    for (let round = 0; round < 2; round++) {
      const held = await rowsOf(page);
      await game.stopGateway();
      await untilNotice(page, "reconnecting");
      assert.deepEqual(await rowsOf(page), held);
      await game.submit("restart", "id4", 60 + round * 20);
      await game.startGateway();
      const began = Date.now();
      await untilRows(page, await expectedRows(game, "restart", 10, 0));
      assert.ok(Date.now() - began < NEWEST_MS, `${Date.now() - began} ms`);
      await untilNotice(page, "");
    }
  },
);

finding(
  "a game server that is away: the last state is shown as not live, until it is back",
  async ({ game, open }) => {
    await game.publish("stale", { decimals: 0 });
    await fill(game, "stale", 3, (i) => 9 - i);
    const page = await open("/overlay/stale");
    await untilCount(page, 3);
    assert.equal(await notice(page), "");
    await game.stopServer();
    await untilNotice(page, "not live");
    assert.equal((await rowsOf(page)).length, 3);
    await game.startServer();
    await untilNotice(page, "");
  },
);

finding("a board that is not there is waited for without a word", async ({ game, open }) => {
  const page = await open("/overlay/not%20yet?title=Soon");
  await page.waitForNetworkIdle({ idleTime: 500, concurrency: 2 });
  assert.equal((await page.evaluate(() => document.body.innerText)).trim(), "");
  await game.publish("not yet", { decimals: 0 });
  await game.submit("not yet", "ada", 5);
  await until(
    page,
    () =>
      document.querySelector("#title").textContent === "Soon" && document.querySelector(".entry"),
  );
});

finding("a board that goes is shown as away, and comes back", async ({ game, open }) => {
  await game.publish("gone", { decimals: 0 });
  await fill(game, "gone", 3, (i) => 9 - i);
  const page = await open("/overlay/gone");
  await untilCount(page, 3);
  await game.unpublish("gone");
  await untilNotice(page, "board away");
  await game.submit("gone", "id2", 99);
  await game.publish("gone");
  await untilRows(page, await expectedRows(game, "gone", 10, 0));
  await untilNotice(page, "");
});

finding("a new season takes the place of the old one", async ({ game, open }) => {
  await game.publish("seasons", { decimals: 0 });
  await fill(game, "seasons", 5, (i) => 9 - i);
  const page = await open("/overlay/seasons");
  await untilCount(page, 5);
  await game.reset("seasons");
  await untilCount(page, 0);
  await game.submit("seasons", "id1", 4);
  await untilRows(page, [["1", "Kaja Storm", "4"]]);
});

finding(
  "columns have headings, and seconds are shown as times where asked for",
  async ({ game, open }) => {
    await game.publish("columns", {
      columns: [
        { name: "laps", order: "desc", decimals: 0 },
        { name: "seconds", order: "asc", decimals: 3 },
      ],
    });
    await fill(game, "columns", 4, (i) => [12 - i, 61.5 + i * 3600]);
    const page = await open("/overlay/columns?format=time");
    await untilRows(page, [
      ["1", "Ada Abel", "12", "1:01.500"],
      ["2", "Kaja Storm", "11", "1:01:01.500"],
      ["3", "Eino Quill", "10", "2:01:01.500"],
      ["4", "Rhea West", "9", "3:01:01.500"],
    ]);
    assert.deepEqual(await page.$$eval("thead th", (all) => all.map((each) => each.textContent)), [
      "rank",
      "change",
      "player",
      "laps",
      "seconds",
    ]);
    const aligned = await page.evaluate(() => {
      const right = (cell) => Math.round(cell.getBoundingClientRect().right);
      return [...document.querySelectorAll("tr")].map((row) =>
        [...row.querySelectorAll(".score")].map(right).join(),
      );
    });
    assert.equal(new Set(aligned).size, 1, "headings stand over their columns");
    const plain = await open("/overlay/columns");
    await until(
      plain,
      () => document.querySelectorAll("tbody .score")[1]?.textContent === "61.500",
    );
    await game.publish("laps alone", {});
    await game.submit("laps alone", "ada", 61.5);
    const time = await open("/overlay/laps%20alone?format=time");
    await until(time, () => document.querySelector("tbody .score")?.textContent === "1:01.500");
  },
);

finding("the countdown runs to the end, and then says so", async ({ game, open }) => {
  await game.publish("clock", { decimals: 0, closes_at: Date.now() / 1000 + 4 });
  await game.submit("clock", "ada", 1);
  const page = await open("/overlay/clock?clock=1");
  const clock = "document.getElementById('clock').innerText";
  await page.waitForFunction(`/^ends in 0:0[234]$/.test(${clock})`);
  const width = await page.$eval("#clock", (element) => element.getBoundingClientRect().width);
  await page.waitForFunction(`/^ends in 0:01$/.test(${clock})`);
  assert.equal(
    await page.$eval("#clock", (element) => element.getBoundingClientRect().width),
    width,
  );
  await page.waitForFunction(`${clock}.trim() === "closed"`);
  const without = await open("/overlay/clock");
  await untilCount(without, 1);
  assert.equal(await without.$eval("#clock", (element) => element.hidden), true);
});

finding(
  "an address chooses rows, title and size, and what is not allowed in it counts as left out",
  async ({ game, open }) => {
    await game.publish("options", { decimals: 0 });
    await fill(game, "options", 30, (i) => 90 - i);
    const sizeOf = (page) =>
      page.$eval(".entry", (row) => parseFloat(getComputedStyle(row).fontSize));
    const three = await open("/overlay/options?top=3&title=Final%20%E2%9C%A8");
    await untilCount(three, 3);
    assert.equal(await three.$eval("#title", (element) => element.textContent), "Final ✨");
    const twice = await open("/overlay/options?top=3&scale=2");
    await untilCount(twice, 3);
    assert.equal(await sizeOf(twice), 2 * (await sizeOf(three)));
    const odd = await open("/overlay/options?top=abc&scale=-1&theme=pink&title=");
    await untilCount(odd, 10);
    assert.equal(await sizeOf(odd), await sizeOf(three));
    assert.equal(await odd.$eval("#title", (element) => element.hidden), true);
  },
);

finding(
  "3, 10 and 100 rows are whole and in order from 200 to 1920 pixels",
  async ({ game, open, close }) => {
    await game.publish("wide", { decimals: 0, closes_at: Date.now() / 1000 + 90000 });
    await fill(game, "wide", 100, (i) => 12345678 - i * 4321);
    await game.mark("wide");
    await game.submitAll("wide", [
      ["id50", 12340000],
      ["late", 12339999],
    ]);
    await game.publish("wide columns", {
      columns: [
        { name: "laps", order: "desc", decimals: 0 },
        { name: "seconds", order: "asc", decimals: 3 },
        { name: "stops", order: "asc", decimals: 0 },
      ],
    });
    await fill(game, "wide columns", 100, (i) => [99 - i, 3601.5 + i * 17.137, i % 3]);
    for (const [width, height] of [
      [200, 420],
      [400, 600],
      [1080, 1080],
      [1920, 1080],
    ]) {
      for (const top of [3, 10, 100]) {
        for (const board of ["wide", "wide columns"]) {
          const theme = { 3: "clear", 10: "light", 100: "dark" }[top];
          const format = board === "wide" ? "" : "&format=time";
          const page = await open(
            `/overlay/${encodeURIComponent(board)}?top=${top}&theme=${theme}&clock=1${format}`,
            { width, height },
          );
          await untilCount(page, top);
          await still(page);
          assert.deepEqual(await page.evaluate(crooked), [], `${board}, ${width} px, ${top} rows`);
          if (width === 1920) {
            const bottom = await page.evaluate(() => document.body.getBoundingClientRect().bottom);
            assert.ok(bottom <= height, `${top} rows end at ${bottom} of ${height} pixels`);
          }
          await picture(page, `${board.replace(" ", "-")}-${width}-${top}`);
          await close(page);
        }
      }
    }
  },
);

await runFindings();
