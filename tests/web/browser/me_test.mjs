// me_test.mjs - the page of one player: the token's own place, live, and what is said if there
// is none.
import { picture } from "./browser.mjs";
import { assert, finding, rowsOf, runFindings, until, untilRows } from "./findings.mjs";
import { crooked, faint } from "./pages_in.mjs";
import { fill } from "./scenes.mjs";

const PHONE = { width: 390, height: 720 };

const message = (page) =>
  page.$eval("#message", (element) => (element.hidden ? "" : element.innerText));
const untilMessage = (page, pattern) =>
  until(
    page,
    (source) => {
      const element = document.getElementById("message");
      return new RegExp(source).test(element.hidden ? "" : element.innerText);
    },
    pattern,
  );

// Starts a page that has not asked for anything, to see all that it asks for.
async function openWatched(open, game, path, options) {
  const page = await open("/assets/icon.svg", options);
  page.asked = [];
  page.on("request", (request) => page.asked.push(request));
  await page.goto(game.base + path);
  return page;
}

finding(
  "the surroundings of the token's player are shown and follow the game, the own row marked",
  async ({ game, open }) => {
    await game.publish("me & you", { decimals: 1 });
    await fill(game, "me & you", 12, (i) => 120.5 - i * 10);
    const token = await game.token("id5");
    const page = await openWatched(
      open,
      game,
      `/me?board=me%20%26%20you&n=1#token=${token}`,
      PHONE,
    );
    await untilRows(page, [
      ["5", "Arlo Moor", "80.5"],
      ["6", "Jara Frost", "70.5"],
      ["7", "Cora Oaks", "60.5"],
    ]);
    assert.deepEqual(
      await page.$$eval("[aria-current] .who", (all) => all.map((who) => who.textContent)),
      ["Jara Frost"],
    );
    assert.equal(await page.$eval("#rank", (element) => element.innerText), "6th of 12");
    assert.deepEqual(await page.evaluate(crooked), []);
    await picture(page, "me");
    await game.submit("me & you", "id5", 999.9);
    await until(page, () => document.getElementById("rank").innerText === "1st of 12");
    assert.deepEqual((await rowsOf(page))[0], ["1", "Jara Frost", "999.9"]);
    // The token is in a header of one address, and in no address.
    for (const request of page.asked)
      assert.ok(!request.url().split("#")[0].includes(token), request.url());
    const withToken = page.asked.filter((request) => request.headers().authorization);
    assert.ok(withToken.length > 0);
    for (const request of withToken) {
      assert.equal(new URL(request.url()).pathname, "/v1/me");
      assert.equal(request.headers().authorization, `Bearer ${token}`);
    }
  },
);

finding(
  "a token that is not good is said clearly, and another one is tried at once",
  async ({ game, open }) => {
    await game.publish("tokens", { decimals: 0 });
    await fill(game, "tokens", 3, (i) => 9 - i);
    const page = await open(
      "/me?board=tokens#token=0123456789012345678901234567890123456789",
      PHONE,
    );
    await untilMessage(page, "no longer good");
    assert.deepEqual(await rowsOf(page), []);
    await picture(page, "me-bad-token");
    const token = await game.token("id1");
    await page.evaluate((good) => (location.hash = "token=" + good), token);
    await untilRows(page, [
      ["1", "Ada Abel", "9"],
      ["2", "Kaja Storm", "8"],
      ["3", "Eino Quill", "7"],
    ]);
    assert.equal(await message(page), "");
  },
);

finding(
  "an address without a token, or without a board, says what is missing",
  async ({ open }) => {
    const without = await open("/me?board=tokens", PHONE);
    await untilMessage(without, "no token");
    const noBoard = await open("/me#token=x", PHONE);
    await untilMessage(noBoard, "no board");
  },
);

finding(
  "a player who is not ranked is told so, and sees the place as soon as there is one",
  async ({ game, open }) => {
    await game.publish("unranked", { decimals: 0 });
    await fill(game, "unranked", 3, (i) => 9 - i);
    const token = await game.token("newcomer");
    const page = await open(`/me?board=unranked#token=${token}`, PHONE);
    await untilMessage(page, "not ranked on this board yet");
    await game.submit("unranked", "newcomer", 100);
    await until(page, () => document.getElementById("rank").innerText === "1st of 4");
    assert.equal(await message(page), "");
  },
);

finding("a board that is not there is waited for", async ({ game, open }) => {
  const token = await game.token("id0");
  const page = await open(`/me?board=me%20later#token=${token}`, PHONE);
  await untilMessage(page, "Waiting for the board");
  await game.publish("me later", { decimals: 0 });
  await game.submit("me later", "id0", 4);
  await until(page, () => document.getElementById("rank").innerText === "1st of 1");
});

finding(
  "a game server or a gateway that is away is said, and the newest state follows",
  async ({ game, open }) => {
    await game.publish("me away", { decimals: 0 });
    await fill(game, "me away", 3, (i) => 9 - i);
    const token = await game.token("id1");
    const page = await open(`/me?board=me%20away#token=${token}`, PHONE);
    await until(page, () => document.getElementById("rank").innerText === "2nd of 3");
    await game.stopServer();
    await until(page, () => /Not live/.test(document.getElementById("notice").textContent));
    await game.startServer();
    await until(page, () => document.getElementById("notice").textContent === "");
    await game.stopGateway();
    await until(page, () => /Reconnecting/.test(document.getElementById("notice").textContent));
    await game.submit("me away", "id1", 44);
    await game.startGateway();
    await until(page, () => document.getElementById("rank").innerText === "1st of 3");
    await until(page, () => document.getElementById("notice").textContent === "");
  },
);

finding("colours keep WCAG AA on the light and on the dark page", async ({ game, open }) => {
  await game.publish("me colours", { decimals: 0 });
  await fill(game, "me colours", 5, (i) => 9 - i);
  const token = await game.token("id2");
  for (const light of [true, false]) {
    const page = await open(`/me?board=me%20colours#token=${token}`, { ...PHONE, light });
    await until(page, () => document.querySelectorAll(".entry").length === 5);
    assert.deepEqual(await page.evaluate(faint), []);
    const bad = await open("/me?board=me%20colours#token=bad", { ...PHONE, light });
    await untilMessage(bad, "no longer good");
    assert.deepEqual(await bad.evaluate(faint), []);
  }
});

finding("a screen reader finds the own row", async ({ game, open }) => {
  await game.publish("me heard", { decimals: 0 });
  await fill(game, "me heard", 3, (i) => 9 - i);
  const page = await open(`/me?board=me%20heard#token=${await game.token("id1")}`, PHONE);
  await until(page, () => document.querySelectorAll(".entry").length === 3);
  assert.deepEqual(
    await page.$$eval("tr[role=row]", (rows) =>
      rows.map((row) => row.getAttribute("aria-current")),
    ),
    [null, null, "true", null],
  );
});

await runFindings();
