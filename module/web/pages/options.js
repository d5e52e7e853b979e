// options.js - what an address asks for: top=, title=, scale=, format=, clock=, n=. What is not
// allowed counts as left out. (theme= is read by theme.js.)

const TOP_DEFAULT = 10,
  TOP_MAX = 100;
const SCALE_MIN = 0.25,
  SCALE_MAX = 8;
const AROUND_DEFAULT = 2,
  AROUND_MAX = 10;

function wholeNumber(text, low, high, otherwise) {
  return /^\d{1,4}$/.test(text || "") && text >= low && text <= high ? Number(text) : otherwise;
}

export function readOptions(search) {
  const query = new URLSearchParams(search);
  const scale = Number(query.get("scale") || 1);
  return {
    top: wholeNumber(query.get("top"), 1, TOP_MAX, TOP_DEFAULT),
    title: query.get("title"), // "": none; null: the board's name
    scale: scale > 0 ? Math.min(Math.max(scale, SCALE_MIN), SCALE_MAX) : 1,
    time: query.get("format") === "time",
    clock: query.get("clock") === "1",
    board: query.get("board"),
    n: wholeNumber(query.get("n"), 0, AROUND_MAX, AROUND_DEFAULT),
  };
}
