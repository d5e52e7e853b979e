// readme_picture.mjs - takes the README's picture of an overlay: the clear theme over a made-up
// game.
//
//   node tests/web/browser/readme_picture.mjs FILE.png      from the top of the project; `run` says
//   what it needs
import { resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { Browser, still, until } from "./browser.mjs";
import { fill } from "./scenes.mjs";

const WIDTH = 840,
  HEIGHT = 600;
const OVERLAY_WIDTH = 330;

// Mountains: a line of peaks that is drawn down to the horizon.
const ridge = (y, peaks, fill_) =>
  `<path d="M0 ${y} ${peaks.map(([x, top]) => `L${x} ${top}`).join(" ")} L${WIDTH} ${y} Z" fill="${fill_}"/>`;

// A car from behind, `size` pixels wide, standing on y.
const car = (x, y, size, color, dark) => `<g transform="translate(${x} ${y}) scale(${size / 100})">
  <ellipse cx="0" cy="0" rx="58" ry="7" fill="#000" opacity=".35"/>
  <rect x="-50" y="-22" width="16" height="22" rx="5" fill="#14161c"/>
  <rect x="34" y="-22" width="16" height="22" rx="5" fill="#14161c"/>
  <path d="M-48 -14 L-46 -34 Q-44 -42 -34 -43 L34 -43 Q44 -42 46 -34 L48 -14 Q48 -9 42 -9 L-42 -9 Q-48 -9 -48 -14 Z" fill="${color}"/>
  <path d="M-30 -43 L-22 -61 Q-20 -65 -14 -65 L14 -65 Q20 -65 22 -61 L30 -43 Z" fill="${dark}"/>
  <path d="M-24 -45 L-18 -59 L18 -59 L24 -45 Z" fill="#9fd3ff" opacity=".75"/>
  <rect x="-44" y="-33" width="18" height="8" rx="3" fill="#ff4b3e"/>
  <rect x="26" y="-33" width="18" height="8" rx="3" fill="#ff4b3e"/>
  <rect x="-14" y="-24" width="28" height="9" rx="2" fill="#f5f0d8"/>
  <rect x="-54" y="-72" width="108" height="7" rx="3" fill="${dark}"/>
  <path d="M-40 -66 L-36 -43 M40 -66 L36 -43" stroke="${dark}" stroke-width="5"/>
</g>`;

// Stripes of the road's edge get longer towards the viewer.
function stripes() {
  const parts = [];
  let y = 346,
    step = 3;
  for (let i = 0; y < HEIGHT; i++, y += step, step *= 1.32) {
    const at = (value) => (value - 340) / (HEIGHT - 340);
    const [a, b] = [at(y), at(Math.min(y + step, HEIGHT))];
    const edge = (t, side, w) => 560 + side * (14 + t * 420) + side * w * (2 + t * 34);
    const color = i % 2 ? "#f4efe6" : "#d8453c";
    for (const side of [-1, 1]) {
      parts.push(`<path d="M${edge(a, side, 0)} ${y} L${edge(a, side, 1)} ${y} L${edge(b, side, 1)} ${y + step}
        L${edge(b, side, 0)} ${y + step} Z" fill="${color}"/>`);
    }
    if (i % 2) {
      parts.push(`<path d="M${560 - 1 - a * 9} ${y} L${561 + a * 9} ${y} L${561 + b * 9} ${y + step}
        L${560 - 1 - b * 9} ${y + step} Z" fill="#f4efe6" opacity=".85"/>`);
    }
  }
  return parts.join("");
}

const trees = [
  [420, 352, 18],
  [388, 360, 26],
  [690, 354, 20],
  [738, 366, 32],
  [800, 384, 48],
  [300, 372, 40],
]
  .map(
    ([
      x,
      y,
      size,
    ]) => `<g transform="translate(${x} ${y}) scale(${size / 40})"><rect x="-3" y="-8" width="6" height="10"
    fill="#2b1d2c"/><path d="M0 -62 L17 -28 L9 -28 L22 -6 L-22 -6 L-9 -28 L-17 -28 Z" fill="#123a3d"/></g>`,
  )
  .join("");

const SCENE = `<!doctype html><html><head><style>
  html { color-scheme: light; } body { margin: 0; overflow: hidden; background: #1c2340; }
  svg { position: absolute; inset: 0; } iframe { position: absolute; left: 14px; top: 14px; border: 0;
  width: ${OVERLAY_WIDTH}px; height: 470px; color-scheme: light; }
</style></head><body>
<svg width="${WIDTH}" height="${HEIGHT}" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="DejaVu Sans, sans-serif" font-weight="700">
  <defs>
    <linearGradient id="sky" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#2a2f6b"/>
      <stop offset=".45" stop-color="#8a4b8f"/><stop offset=".8" stop-color="#f08a5d"/><stop offset="1" stop-color="#ffd28a"/>
    </linearGradient>
    <radialGradient id="sun"><stop offset="0" stop-color="#fff3c4"/><stop offset=".3" stop-color="#ffd98c"/>
      <stop offset="1" stop-color="#ffb25e" stop-opacity="0"/></radialGradient>
    <linearGradient id="field" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#5d7a4b"/>
      <stop offset="1" stop-color="#1f4a3c"/></linearGradient>
    <linearGradient id="road" x1="0" y1="0" x2="0" y2="1"><stop offset="0" stop-color="#6d6372"/>
      <stop offset="1" stop-color="#302c3b"/></linearGradient>
  </defs>
  <rect width="${WIDTH}" height="345" fill="url(#sky)"/>
  <circle cx="600" cy="285" r="190" fill="url(#sun)"/>
  <circle cx="600" cy="285" r="44" fill="#fff6d8"/>
  ${ridge(
    345,
    [
      [0, 230],
      [90, 150],
      [170, 235],
      [260, 120],
      [350, 225],
      [470, 190],
      [560, 262],
      [660, 205],
      [760, 140],
      [840, 225],
    ],
    "#6a4a86",
  )}
  ${ridge(
    345,
    [
      [0, 285],
      [120, 225],
      [230, 300],
      [340, 245],
      [450, 318],
      [640, 300],
      [730, 240],
      [840, 300],
    ],
    "#43386e",
  )}
  ${ridge(
    345,
    [
      [0, 318],
      [160, 290],
      [300, 332],
      [470, 322],
      [560, 338],
      [680, 322],
      [840, 300],
    ],
    "#2c3a5c",
  )}
  <rect y="340" width="${WIDTH}" height="${HEIGHT - 340}" fill="url(#field)"/>
  <path d="M546 340 L574 340 L994 600 L126 600 Z" fill="url(#road)"/>
  ${stripes()}
  ${trees}
  ${car(566, 378, 26, "#e9c33b", "#7a5c0c")}
  ${car(520, 412, 46, "#3f7de0", "#17346b")}
  ${car(646, 446, 70, "#d94f92", "#5f1b41")}
  ${car(548, 572, 150, "#e2574c", "#6b1d19")}
  <g transform="translate(752 520)">
    <circle r="58" fill="#0b1020" opacity=".62"/>
    <path d="M-40 28 A49 49 0 1 1 40 28" fill="none" stroke="#ffffff" stroke-opacity=".35" stroke-width="7"/>
    <path d="M-40 28 A49 49 0 0 1 30 -39" fill="none" stroke="#ffd166" stroke-width="7"/>
    <path d="M0 0 L34 -30" stroke="#ff6b5e" stroke-width="4"/>
    <text y="26" text-anchor="middle" font-size="24" fill="#fff">214</text>
    <text y="42" text-anchor="middle" font-size="11" fill="#cfd8e6">km/h</text>
  </g>
  <g transform="translate(814 40)" text-anchor="end" fill="#fff">
    <text font-size="26" stroke="#1b1b3a" stroke-width="5" paint-order="stroke">LAP 18 / 24</text>
  </g>
</svg></body></html>`;

const file = process.argv[2];
if (!file) throw new Error("usage: node tests/web/browser/readme_picture.mjs FILE.png");
const { Game } = await import(
  pathToFileURL(resolve(process.env.GAME || "tests/web/browser/gateway_mock.mjs"))
);
const game = await Game.start();
const browser = await Browser.start();
await game.publish("cup", { decimals: 1, closes_at: Date.now() / 1000 + 1511 });
await fill(game, "cup", 9, (i) => Math.round(1916 - i * 9.7) / 10);
await game.submitAll("cup", [
  ["yuki", 188.9],
  ["noor", 185.7],
]);
await game.name("yuki", "月影ユキ");
await game.name("noor", "نور الهدى");
await game.mark("cup");
await game.submitAll("cup", [
  ["yuki", 191.2],
  ["id6", 188.1],
  ["late", 187.2],
]);
await game.name("late", "🐉 Drago");
const page = await browser.open(game.base + "/assets/icon.svg", { width: WIDTH, height: HEIGHT });
await page.setBypassCSP(true); // the scene is ours, not a page of the gateway
await page.goto(game.base + "/me");
await page.setContent(SCENE);
await page.evaluate((address) => {
  const frame = document.createElement("iframe");
  frame.src = address;
  document.body.append(frame);
}, `${game.base}/overlay/cup?top=10&theme=clear&clock=1&title=Sunset%20Cup`);
const overlay = await page.waitForFrame((frame) => frame.url().includes("/overlay/"));
await until(overlay, () => document.querySelectorAll("tbody tr").length === 10);
await still(overlay);
await page.screenshot({ path: file });
await browser.close();
await game.close();
process.exit(0);
