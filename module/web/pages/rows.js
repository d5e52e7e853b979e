// rows.js - a board as a table whose rows glide to their new places.
//
//   rows     one for each player, kept and moved: never made again while the player stays
//   places   are the page's layout; a move is shown by a transform from the old place to the new
//            one. Viewers who ask for less motion get none.
//   widths   and blocks: layout.js
//   readers  the table is not a live region: a screen reader reads it when asked, not at every change
//   text     of players goes into textContent only
import { keyOf, playerText } from "./text.js";
import { TableLayout } from "./layout.js";
import { putNumber, scoreText, timeText } from "./numbers.js";

const GLIDE_MS = 650;
const GLIDE = "cubic-bezier(.22,.8,.24,1)";
const NEW_MS = 8000; // how long who entered is marked

const reduced = matchMedia("(prefers-reduced-motion: reduce)");

function make(tag, className, role) {
  const element = document.createElement(tag);
  if (className) element.className = className;
  if (role) element.setAttribute("role", role);
  return element;
}

function setText(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

// The columns of a board's scores: { name, decimals, time }.
function columnsOf(description, time) {
  const { columns, decimals } = description;
  if (!columns) return [{ decimals, time }];
  const times = columns.filter(({ name }) => /sec|time|duration/i.test(name));
  return columns.map((each) => ({
    name: each.name,
    decimals: each.decimals || 0,
    time: time && (times.length === 0 || times.includes(each)),
  }));
}

// One player's row.
class Row {
  constructor(columns) {
    this.element = make("tr", "entry", "row");
    this.rank = make("td", "rank", "cell");
    this.change = make("td", "change", "cell");
    this.name = make("th", "name", "rowheader");
    this.name.scope = "row";
    this.who = make("bdi", "who");
    this.tag = make("span", "tag");
    this.tag.textContent = "new";
    this.tag.hidden = true;
    this.name.append(this.who, this.tag);
    this.scores = columns.map(() => make("td", "score", "cell"));
    this.element.append(this.rank, this.change, this.name, ...this.scores);
  }

  show(entry, columns, hasChanges) {
    this.entry = entry;
    setText(this.rank, String(entry.rank));
    this.element.dataset.place = entry.rank <= 3 ? Math.floor(entry.rank) : "";
    const name = playerText(entry);
    if (this.who.textContent !== name) {
      this.who.textContent = name;
      this.who.title = name;
    }
    this.showChange(entry.rank_change);
    this.isNewHere = hasChanges && entry.rank_change === undefined;
    this.showTag();
    const scores = Array.isArray(entry.score) ? entry.score : [entry.score];
    columns.forEach(({ decimals, time }, i) => {
      const score = scores[i];
      const text =
        typeof score !== "number"
          ? ""
          : time
            ? timeText(score, decimals)
            : scoreText(score, decimals);
      putNumber(this.scores[i], text);
    });
  }

  // What the cell says as text: ▲3, and to a screen reader "up 3".
  showChange(change) {
    const text = change > 0 ? "▲" + change : change < 0 ? "▼" + -change : "";
    if (this.change.textContent === text) return;
    this.change.textContent = "";
    if (!text) return;
    const mark = make("span", change > 0 ? "up" : "down", "img");
    mark.setAttribute("aria-label", (change > 0 ? "up " : "down ") + text.slice(1));
    const amount = make("span", "amount");
    amount.textContent = text.slice(1);
    mark.append(text[0], amount);
    this.change.append(mark);
  }

  showTag() {
    this.tag.hidden = !(this.isNewHere || this.hasEntered);
    this.element.classList.toggle("entered", Boolean(this.hasEntered));
  }

  enter() {
    this.hasEntered = true;
    this.showTag();
    clearTimeout(this.timer);
    this.timer = setTimeout(() => {
      this.hasEntered = false;
      this.showTag();
    }, NEW_MS);
  }

  leave() {
    clearTimeout(this.timer);
    this.element.remove();
  }

  // Glides from where it was seen to where it now is.
  glide(before, after) {
    const x = before.left - after.left,
      y = before.top - after.top;
    if (Math.abs(x) < 0.5 && Math.abs(y) < 0.5) return;
    this.element.classList.toggle("rising", y > 0 || x > 0);
    this.animate([{ transform: `translate(${x}px,${y}px)` }, { transform: "none" }]);
  }

  appear() {
    this.animate([
      { opacity: 0, transform: "translateX(6%)" },
      { opacity: 1, transform: "none" },
    ]);
  }

  animate(frames) {
    const motion = this.element.animate(frames, { duration: GLIDE_MS, easing: GLIDE });
    this.motion = motion;
    motion.onfinish = () => {
      if (this.motion !== motion) return;
      this.motion = undefined;
      this.element.classList.remove("rising");
    };
  }

  stop() {
    if (this.motion) this.motion.cancel();
    this.motion = undefined;
    this.element.classList.remove("rising");
  }
}

// The table. Options: `blocks`, whether a long list may be set in several blocks side by side;
// `marks`, whether who entered is marked.
export class BoardTable {
  constructor(host, { blocks = false, marks = true } = {}) {
    this.marks = marks;
    this.rows = new Map();
    this.element = make("table", "board", "table");
    this.caption = make("caption", "unseen");
    this.head = make("thead", "", "rowgroup");
    this.body = make("tbody", "", "rowgroup");
    this.element.append(this.caption, this.head, this.body);
    host.append(this.element);
    this.layout = new TableLayout(this.element, this.body, blocks, (count) =>
      this.showHeadings(count),
    );
    this.time = false;
    this.describe({});
    addEventListener("resize", () => this.fit());
  }

  label(text) {
    setText(this.caption, text);
  }

  // Takes what a board's scores look like. `time`: seconds are shown as times.
  describe(description, time = this.time) {
    const columns = columnsOf(description, time);
    const is = JSON.stringify(columns);
    if (is === this.is) return;
    Object.assign(this, { is, columns, time });
    for (const row of this.rows.values()) row.leave();
    this.rows.clear();
    this.layout.begin(columns.map(({ name }) => name || ""));
    if (this.entries) this.show({ ...this.state, entries: this.entries, quiet: true });
  }

  // Headings are seen if there are several columns. Blocks after the first repeat them, for the
  // eye only.
  showHeadings(blocks) {
    this.head.className = this.columns[0].name ? "" : "unseen";
    this.head.textContent = "";
    for (let block = 0; block < blocks; block++) {
      const row = make("tr", "headings", "row");
      if (block > 0) row.setAttribute("aria-hidden", "true");
      const names = [
        "rank",
        "change",
        "player",
        ...this.columns.map(({ name }) => name || "score"),
      ];
      const classes = ["rank", "change", "name"];
      names.forEach((name, i) => {
        const heading = make("th", classes[i] || "score", "columnheader");
        const text = make("span", i < 2 ? "unseen" : "");
        text.textContent = name;
        heading.append(text);
        row.append(heading);
      });
      this.head.append(row);
    }
  }

  // Shows a state's entries, best first. `epoch`: the entries of another one are not compared with
  // these, and come without motion. `own`: the player whose row is marked. `quiet`: without motion.
  show({ entries, epoch, own, quiet = false }) {
    const first = !this.entries || this.state.epoch !== epoch;
    this.entries = entries;
    this.state = { epoch, own };
    const keys = entries.map(({ player }) => keyOf(player));
    const moves =
      !first && !quiet && !reduced.matches && !document.hidden && this.isAnotherOrder(keys);
    const before = new Map();
    if (moves) {
      for (const [key, row] of this.rows) before.set(key, row.element.getBoundingClientRect());
    }
    if (reduced.matches || moves) this.rows.forEach((row) => row.stop());

    const hasChanges = entries.some(({ rank_change: change }) => change !== undefined);
    const wanted = new Set(keys);
    for (const [key, row] of this.rows) {
      if (wanted.has(key)) continue;
      row.leave();
      this.rows.delete(key);
    }
    let place = this.body.firstElementChild;
    entries.forEach((entry, i) => {
      let row = this.rows.get(keys[i]);
      if (!row) {
        row = new Row(this.columns);
        this.rows.set(keys[i], row);
        if (!first && !quiet && this.marks) row.enter();
      }
      row.show(entry, this.columns, hasChanges);
      if (own !== undefined && keyOf(own) === keys[i])
        row.element.setAttribute("aria-current", "true");
      else row.element.removeAttribute("aria-current");
      if (row.element === place) place = place.nextElementSibling;
      else this.body.insertBefore(row.element, place);
    });
    for (const row of this.rows.values()) this.layout.grow(row, hasChanges);
    this.fit();
    if (moves) this.play(before);
  }

  // The score of a player's row as text; "" without a row. Columns are joined.
  scoreOf(player) {
    const row = this.rows.get(keyOf(player));
    return row ? row.scores.map((cell) => cell.textContent).join(" · ") : "";
  }

  isAnotherOrder(keys) {
    let i = 0;
    for (const row of this.body.children) {
      if (i >= keys.length || this.rows.get(keys[i])?.element !== row) return true;
      i++;
    }
    return i !== keys.length;
  }

  play(before) {
    const after = new Map();
    for (const [key, row] of this.rows) after.set(key, row.element.getBoundingClientRect());
    for (const [key, row] of this.rows) {
      if (before.has(key)) row.glide(before.get(key), after.get(key));
      else row.appear();
    }
  }

  fit() {
    this.layout.fit(this.rows.size);
  }
}
