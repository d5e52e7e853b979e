// pages_in.mjs - functions that run in a page and look at it as its viewer does. Each is whole in
// itself, since it is sent there as text.

// The texts whose contrast to their ground is below WCAG's AA: { text, ratio }. A ground is the
// nearest opaque background colour; on the clear theme it is the text's own outline.
export function faint() {
  const luminance = ([r, g, b]) => {
    const linear = [r, g, b].map((value) => {
      const part = value / 255;
      return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
    });
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2];
  };
  const channels = (color) => color.match(/[\d.]+/g).map(Number);
  const isSeen = (color) => channels(color).length === 3 || channels(color)[3] === 1;
  const groundOf = (element) => {
    for (let at = element; at; at = at.parentElement) {
      const style = getComputedStyle(at);
      if (isSeen(style.backgroundColor)) return style.backgroundColor;
    }
    const outline = getComputedStyle(element).textShadow.match(/rgba?\([^)]*\)/);
    return outline ? outline[0] : "rgb(255, 255, 255)";
  };
  const found = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node; node = walker.nextNode()) {
    const element = node.parentElement;
    const box = element.getBoundingClientRect();
    if (!node.data.trim() || box.width < 2 || element.closest("script,template,.unseen,option"))
      continue;
    const style = getComputedStyle(element);
    const [a, b] = [luminance(channels(style.color)), luminance(channels(groundOf(element)))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    const large = parseFloat(style.fontSize) >= 24;
    if (ratio < (large ? 3 : 4.5))
      found.push({ text: node.data, ratio, color: style.color, ground: groundOf(element) });
  }
  return found;
}

// Where the cells of the rows are: { rank, who, score }, in page order. Numbers are set to the
// right.
export function boxes() {
  return [...document.querySelectorAll("tbody tr")].map((row) => {
    const edge = (part, side) => {
      const cell = row.querySelector(part);
      const box = cell.getBoundingClientRect();
      return { at: box[side], top: box.top, height: box.height };
    };
    return {
      rank: edge(".rank", "right"),
      who: edge(".who", "left"),
      score: edge(".score", "right"),
    };
  });
}

// What is wrong with the layout: a part that is wider than the window, a cell that laps over its
// neighbour, rows that are not one below the other or in blocks from left to right.
export function crooked() {
  const wrong = [];
  if (document.documentElement.scrollWidth > innerWidth)
    wrong.push("the page is wider than the window");
  let last;
  for (const row of document.querySelectorAll("tbody tr")) {
    const name = row.querySelector(".who").textContent;
    const cells = [".rank", ".change", ".name", ".score"]
      .flatMap((part) => [...row.querySelectorAll(part)])
      .map((cell) => cell.getBoundingClientRect())
      .filter((box) => box.width > 0);
    cells.forEach((box, i) => {
      if (i > 0 && box.left < cells[i - 1].right - 0.5)
        wrong.push(`${name}: cell ${i} laps over cell ${i - 1}`);
      if (box.right > innerWidth + 0.5) wrong.push(`${name}: cell ${i} leaves the window`);
    });
    for (const cell of row.querySelectorAll(".rank, .score")) {
      if (cell.scrollWidth > cell.clientWidth + 1)
        wrong.push(`${name}: "${cell.textContent}" is cut`);
    }
    if (row.querySelector(".name").getBoundingClientRect().width < 30)
      wrong.push(`${name}: no room for the name`);
    const box = row.getBoundingClientRect();
    if (last && !(box.top >= last.bottom - 0.5 || box.left >= last.right - 0.5)) {
      wrong.push(`${name} is not after the row before`);
    }
    last = box;
  }
  return wrong;
}
