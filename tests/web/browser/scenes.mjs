// scenes.mjs - boards to look at: short and long lists, names in many scripts, columns, countdowns,
// ▲▼. Names are made up.

const NAMES = [
  "Ada Abel",
  "Kaja Storm",
  "Eino Quill",
  "Rhea West",
  "Arlo Moor",
  "Jara Frost",
  "Cora Oaks",
  "Nils Ward",
  "Jonas Frost",
  "Lou Vale",
  "Mira Lind",
  "Otto Birk",
  "Pia Holm",
  "Sami Noor",
  "Tove Lang",
  "Udo Kern",
  "Vera Roth",
  "Wim Daal",
  "Yara Sol",
  "Zoe Hart",
];

const SCRIPTS = [
  ["p1", "月影のハヤブサ"],
  ["p2", "نجمة الصحراء"],
  ["p3", "🐉 Drachen 🔥"],
  ["p4", "김하늘 선수"],
  ["p5", "Максимилиан"],
  ["p6", "अदिति शर्मा"],
  ["p7", "שלום 99"],
  ["p8", "龍王大魔神之無敵鐵金剛與他的朋友們在夜裡奔跑"],
  ["p9", "The Most Honourable Sir Reginald Featherstonehaugh III"],
  ["p10", "<b onclick=x>Bobby</b>"],
  [{ base64: "/wEQn6rNuA==" }, undefined],
  [{ base64: "Qm9i/yBKci4=" }, undefined],
];

const nameOf = (i) =>
  NAMES[i % NAMES.length] + (i < NAMES.length ? "" : " " + (Math.floor(i / NAMES.length) + 1));

export async function fill(game, board, count, scoreOf) {
  const scores = [];
  for (let i = 0; i < count; i++) {
    await game.name(`id${i}`, nameOf(i));
    scores.push([`id${i}`, scoreOf(i)]);
  }
  await game.submitAll(board, scores);
}

// Boards that stay as they are.
export async function publishScenes(game) {
  const now = Date.now() / 1000;
  await game.publish("three", { decimals: 1, meta: "Three players" });
  await fill(game, "three", 3, (i) => 191.6 - i * 1.7);
  await game.publish("24-hour race", {
    decimals: 1,
    meta: "Kilometres in 24 hours",
    closes_at: now + 5025,
  });
  await fill(game, "24-hour race", 40, (i) => Math.round(1916 - i * 3.1 - (i % 3)) / 10);
  await game.mark("24-hour race");
  for (const [i, by] of [
    [4, 8],
    [9, 14],
    [1, -4],
    [6, 3],
    [18, 60],
  ]) {
    await game.submit("24-hour race", `id${i}`, Math.round(1916 - i * 3.1 - (i % 3) + by) / 10);
  }
  await game.submit("24-hour race", "late", 190.8);
  await game.name("late", "Late Comer");
  await game.publish("season 3", {
    meta: "Points of the season",
    resets_at: now + 3 * 86400 + 7000,
  });
  await fill(game, "season 3", 100, (i) => 12345678 - i * i * 1173 - i * 4321);
  await game.mark("season 3");
  await game.submit("season 3", "id50", 12340000);
  await game.submit("season 3", "id3", 11900000);
  await game.publish("laps", {
    columns: [
      { name: "laps", order: "desc", decimals: 0 },
      { name: "seconds", order: "asc", decimals: 3 },
      { name: "stops", order: "asc", decimals: 0 },
    ],
    meta: "Laps, then seconds",
  });
  await fill(game, "laps", 12, (i) => [24 - Math.floor(i / 4), 3601.5 + i * 17.137, i % 3]);
  await game.publish("names", { decimals: 0 });
  for (const [player, name] of SCRIPTS) if (name) await game.name(player, name);
  await game.submitAll(
    "names",
    SCRIPTS.map(([player], i) => [player, 9800 - i * 333]),
  );
  await game.publish("best lap", { order: "asc", decimals: 3, meta: "Seconds" });
  await fill(game, "best lap", 10, (i) => 58.231 + i * 0.617);
}

// A race that continues, a few changes a second.
export async function playScenes(game) {
  await publishScenes(game);
  await game.publish("race", { decimals: 1, meta: "A race that goes on" });
  await fill(game, "race", 25, (i) => 20 - i / 2);
  await game.mark("race");
  const distances = Array.from({ length: 25 }, (_, i) => 200 - i * 5);
  setInterval(() => {
    const scores = [];
    for (let k = 0; k < 5; k++) {
      const i = Math.floor(Math.random() * 25);
      distances[i] += Math.floor(Math.random() * 6);
      scores.push([`id${i}`, distances[i] / 10]);
    }
    game.submitAll("race", scores);
  }, 400);
}
