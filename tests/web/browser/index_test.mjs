// index_test.mjs - the page that lists the boards: their tops live, and an overlay's address for
// each.
import { picture } from "./browser.mjs";
import { assert, expectedRows, finding, runFindings, until, untilRows } from "./findings.mjs";
import { crooked, faint } from "./pages_in.mjs";
import { fill } from "./scenes.mjs";

const ODD = "a/b ?&#+ <i>ü</i> 月";

const untilCards = (page, names) =>
  until(
    page,
    (wanted) =>
      wanted.every((name) =>
        [...document.querySelectorAll(".card .title")].some((title) => title.textContent === name),
      ),
    names,
  );

// Runs in the page: marks the card of a board, so that selectors find it.
const mark = (page, name, id) =>
  page.evaluate(
    (wanted, chosen) => {
      [...document.querySelectorAll(".card")].find(
        (card) => card.querySelector(".title").textContent === wanted,
      ).id = chosen;
    },
    name,
    id,
  );

finding("boards are listed with their tops, and follow the game", async ({ game, open }) => {
  await game.publish("first", { decimals: 1, meta: "The first board" });
  await fill(game, "first", 8, (i) => 80.5 - i * 10);
  await game.publish("<b>second</b>", { decimals: 0, meta: "<i>meta</i>" });
  await fill(game, "<b>second</b>", 2, (i) => 9 - i);
  const page = await open("/", { width: 1280, height: 900 });
  await untilCards(page, ["first", "<b>second</b>"]);
  await mark(page, "first", "a");
  await mark(page, "<b>second</b>", "b");
  assert.equal(await page.$eval("#b .meta", (element) => element.textContent), "<i>meta</i>");
  await untilRows(page, await expectedRows(game, "first", 5, 1), "#a");
  await untilRows(page, await expectedRows(game, "<b>second</b>", 5, 0), "#b");
  await game.submit("first", "id7", 77.7);
  await untilRows(page, await expectedRows(game, "first", 5, 1), "#a");
  await until(page, () => document.querySelector("#state").textContent === "Live");
  assert.deepEqual(
    await page.evaluate(crooked).then((all) => all.filter((each) => /wider/.test(each))),
    [],
  );
  await picture(page, "index");
  await game.publish("third", {});
  await untilCards(page, ["third"]);
});

finding(
  "the address that is copied is the overlay's, also of a board with an odd name",
  async ({ game, browser, open }) => {
    await game.publish(ODD, { decimals: 0 });
    await fill(game, ODD, 3, (i) => 9 - i);
    await browser.chromium
      .defaultBrowserContext()
      .overridePermissions(game.base, [
        "clipboard-read",
        "clipboard-write",
        "clipboard-sanitized-write",
      ]);
    const page = await open("/");
    await page.bringToFront();
    await untilCards(page, [ODD]);
    await mark(page, ODD, "odd");
    await page.click("#odd .copy");
    await until(page, () => document.querySelector("#odd .copy").textContent === "Copied");
    const address = await page.evaluate(() => navigator.clipboard.readText());
    assert.equal(address, `${game.base}/overlay/${encodeURIComponent(ODD)}?top=10&theme=dark`);
    assert.equal(await page.$eval("#odd .url", (link) => link.href), address);
    const overlay = await open(address.slice(game.base.length));
    await untilRows(overlay, await expectedRows(game, ODD, 10, 0));
    assert.equal(await overlay.$eval("#title", (element) => element.textContent), ODD);
  },
);

finding(
  "what is chosen goes into the address and the preview, which is the only one",
  async ({ game, open }) => {
    await game.publish("choice", { decimals: 0, closes_at: Date.now() / 1000 + 5000 });
    await fill(game, "choice", 12, (i) => 90 - i);
    await game.publish("other", { decimals: 0 });
    await game.submit("other", "ada", 1);
    const page = await open("/", { width: 1280, height: 1000 });
    await untilCards(page, ["choice", "other"]);
    await mark(page, "choice", "card1");
    await mark(page, "other", "card2");
    assert.equal(await page.$$eval("iframe", (all) => all.length), 0);
    await page.click("#card1 summary");
    await page.select("#card1 [name=theme]", "clear");
    await page.select("#card1 [name=scale]", "1.5");
    await page.$eval("#card1 [name=top]", (field) => (field.value = ""));
    await page.type("#card1 [name=top]", "4");
    await page.type("#card1 [name=title]", "A & B");
    await page.click("#card1 [name=clock]");
    const wanted = `${game.base}/overlay/choice?top=4&theme=clear&scale=1.5&title=A+%26+B&clock=1`;
    assert.equal(await page.$eval("#card1 .url", (link) => link.textContent), wanted);
    const inFrame = (name, count) =>
      until(
        page,
        (text, rows) => {
          const document_ = document.querySelector("iframe").contentDocument;
          return (
            document_.querySelector("#title")?.textContent === text &&
            document_.querySelectorAll("tbody tr").length === rows
          );
        },
        name,
        count,
      );
    await inFrame("A & B", 4);
    assert.equal(await page.$eval("iframe", (frame) => frame.src), wanted);
    await picture(page, "index-preview");
    await page.$eval("#card1 [name=top]", (field) => (field.value = "")); // no number: the default
    await page.type("#card1 [name=top]", "500");
    assert.match(await page.$eval("#card1 .url", (link) => link.textContent), /\?top=10&/);
    await page.click("#card2 summary");
    await inFrame("other", 1);
    assert.equal(await page.$$eval("iframe", (all) => all.length), 1);
  },
);

finding("colours keep WCAG AA on the light and on the dark page", async ({ game, open }) => {
  await game.publish("colours", { decimals: 0, meta: "meta" });
  await fill(game, "colours", 5, (i) => 9 - i);
  for (const light of [true, false]) {
    const page = await open("/", { light, width: 1280 });
    await untilCards(page, ["colours"]);
    await until(page, () => document.querySelectorAll(".entry").length >= 5);
    await page.click("summary");
    assert.deepEqual(await page.evaluate(faint), []);
  }
});

finding(
  "of many boards 64 are live on one stream, the others are links, and a search finds each",
  async ({ game, open }) => {
    for (let i = 0; i < 70; i++) {
      await game.publish(`many ${i}`, { decimals: 0 });
      await game.submit(`many ${i}`, "ada", i);
    }
    const page = await open("/assets/icon.svg");
    const asked = [];
    page.on("request", (request) => {
      if (new URL(request.url()).pathname === "/v1/live") asked.push(request.url());
    });
    await page.goto(game.base + "/");
    await until(
      page,
      () =>
        document.querySelectorAll(".card").length === 64 &&
        document.querySelectorAll("#links a").length > 5,
    );
    await until(page, () =>
      [...document.querySelectorAll(".card")].every(
        (card) =>
          card.querySelector(".entry") ||
          !card.querySelector(".title").textContent.startsWith("many"),
      ),
    );
    assert.equal(asked.length, 1);
    assert.equal(asked[0].match(/board=/g).length, 64);
    assert.ok(asked[0].length < 7000);
    await page.type("#find", "many 69");
    await until(
      page,
      () =>
        document.querySelectorAll(".card").length === 1 &&
        document.querySelector(".card .title").textContent === "many 69" &&
        document.querySelector(".card .entry"),
    );
  },
);

finding(
  "a restart of the gateway is said, and then the newest state is shown",
  async ({ game, open }) => {
    await game.publish("restarted", { decimals: 0 });
    await fill(game, "restarted", 3, (i) => 9 - i);
    const page = await open("/");
    await page.waitForSelector("#find");
    await until(page, () => document.querySelector("#state").textContent === "Live");
    await page.type("#find", "restarted");
    await until(page, () => document.querySelectorAll(".card").length === 1);
    await game.stopGateway();
    await until(page, () => document.querySelector("#state").textContent === "Reconnecting");
    await game.submit("restarted", "id2", 44);
    await game.startGateway();
    await untilRows(page, await expectedRows(game, "restarted", 5, 0));
    await until(page, () => document.querySelector("#state").textContent === "Live");
    await game.stopServer();
    await until(
      page,
      () => document.querySelector("#state").textContent === "The game server is away",
    );
    await game.startServer();
    await until(page, () => document.querySelector("#state").textContent === "Live");
  },
);

await runFindings();
