// index.js - the list of the boards with their tops, live, and an overlay's address for each.
//
//   live     the first 64 boards (fewer if their names exceed 6,000 characters), on one
//            stream: a browser opens six connections to a server, and a gateway takes 64 boards on
//            a stream
//   others   are links to their overlays; what is typed into the search field decides which are
//            live
//   preview  one at a time, since each has a stream of its own
import { fetchBoards } from "./boards.js";
import { BoardTable } from "./rows.js";
import { openStream } from "./stream.js";
import { encoded, keyOf, shown } from "./text.js";

const LIVE_MAX = 64;
const ADDRESS_MAX = 6000; // the gateway takes 8 KiB of header
const SHOWN = 5;
const SEARCH_FROM = 9; // boards
const LOOK_MS = 5000; // for boards that come and go
const TYPED_MS = 250;
const COPIED_MS = 2000;

const part = (id) => document.getElementById(id);
const cards = new Map(); // by the board's key
let boards = [],
  stream,
  streamed,
  isLost = false,
  isHeard = false;

// An overlay's address, by what the card's form says.
function addressOf(board, form) {
  const query = new URLSearchParams();
  const { theme, top, scale, title, clock, time } = form.elements;
  query.set("top", top.validity.valid && top.value ? top.value : "10");
  query.set("theme", theme.value);
  if (scale.value !== "1") query.set("scale", scale.value);
  if (title.value) query.set("title", title.value);
  if (clock.checked) query.set("clock", "1");
  if (time.checked) query.set("format", "time");
  return `${location.origin}/overlay/${encoded(board)}?${query}`;
}

// Copies an element's text. Without a secure context there is no navigator.clipboard; the text is
// selected and copied then.
async function copy(element) {
  try {
    await navigator.clipboard.writeText(element.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(element);
    return document.execCommand("copy");
  }
}

class Card {
  constructor(board) {
    this.board = board;
    this.element = part("card").content.firstElementChild.cloneNode(true);
    this.find = (selector) => this.element.querySelector(selector);
    this.title = shown(board);
    this.find(".title").textContent = this.title;
    this.find(".title").title = this.title;
    this.table = undefined;
    this.form = this.find(".options");
    this.url = this.find(".url");
    this.find(".copy").setAttribute("aria-label", `Copy the overlay's address of ${this.title}`);
    this.form.addEventListener("input", () => this.readForm());
    this.form.addEventListener("submit", (event) => event.preventDefault());
    this.find(".copy").addEventListener("click", () => this.copied());
    this.find(".adjust").addEventListener("toggle", () => this.toggled());
    this.readForm();
  }

  async copied() {
    const done = await copy(this.url);
    const button = this.find(".copy");
    button.textContent = done ? "Copied" : "Press Ctrl+C";
    setTimeout(() => (button.textContent = "Copy"), COPIED_MS);
  }

  readForm() {
    this.url.href = addressOf(this.board, this.form);
    this.url.textContent = this.url.href;
    this.preview();
    if (this.description) this.table.describe(this.description, this.form.elements.time.checked);
  }

  toggled() {
    const isOpen = this.find(".adjust").open;
    this.element.classList.toggle("open", isOpen);
    if (isOpen) {
      for (const other of cards.values()) if (other !== this) other.find(".adjust").open = false;
    }
    this.preview();
    this.table.fit();
  }

  preview() {
    const frame = this.find("iframe");
    if (!this.find(".adjust").open) {
      if (frame) frame.remove();
      return;
    }
    const shows = frame || document.createElement("iframe");
    shows.title = `Preview of the overlay of ${this.title}`;
    if (shows.src !== this.url.href) shows.src = this.url.href;
    if (!frame) this.find(".preview").append(shows);
  }

  describe(description) {
    this.description = description;
    if (!this.table) this.table = new BoardTable(this.find(".rows"));
    this.table.label(this.title);
    this.table.describe(description, this.form.elements.time.checked);
    const meta = description.meta === undefined ? "" : shown(description.meta);
    this.find(".meta").textContent = meta;
    this.find(".meta").title = meta;
    this.showSize(description.size);
    const ends = description.resets_at !== undefined || description.closes_at !== undefined;
    this.form.elements.clock.parentElement.hidden = !ends;
  }

  showSize(size) {
    if (size !== undefined)
      this.find(".size").textContent = size === 1 ? "1 player" : `${size} players`;
  }

  show(state) {
    this.showSize(state.size);
    this.table.show({ entries: state.top, epoch: state.epoch });
  }
}

function showState(isStale) {
  const isLive = isHeard && !isLost && !isStale;
  part("state").classList.toggle("live", isLive);
  const text = isLost
    ? "Reconnecting"
    : !isHeard
      ? "Connecting"
      : isStale
        ? "The game server is away"
        : "Live";
  if (part("state").textContent !== text) part("state").textContent = text;
}

// Opens the stream of these boards, if it is not open.
function listen(names) {
  const query = names.map((name) => "board=" + encoded(name)).join("&");
  if (query === streamed) return;
  streamed = query;
  if (stream) stream.close();
  stream = undefined;
  if (names.length === 0) return;
  stream = openStream(`/v1/live?${query}&top=${SHOWN}`, {
    event(type, data) {
      const card = cards.get(keyOf(data.board));
      if (type === "gone") look();
      else if (card && Array.isArray(data.top)) card.show(data);
      if (data.stale !== undefined) showState(data.stale);
    },
    open() {
      isLost = false;
      showState(false);
      look();
    },
    lost() {
      isLost = true;
      showState(false);
    },
  });
}

function isWanted({ board, meta }) {
  const typed = part("find").value.trim().toLowerCase();
  return (
    !typed ||
    shown(board).toLowerCase().includes(typed) ||
    (meta !== undefined && shown(meta).toLowerCase().includes(typed))
  );
}

function showBoards() {
  const live = [],
    more = [];
  let length = 0;
  for (const description of boards.filter(isWanted)) {
    length += encoded(description.board).length + 7;
    (live.length < LIVE_MAX && length < ADDRESS_MAX && more.length === 0 ? live : more).push(
      description,
    );
  }
  const wanted = new Set(live.map(({ board }) => keyOf(board)));
  for (const [key, card] of cards) {
    if (wanted.has(key)) continue;
    card.element.remove();
    cards.delete(key);
  }
  let place = part("boards").firstElementChild;
  for (const description of live) {
    const key = keyOf(description.board);
    let card = cards.get(key);
    if (!card) {
      card = new Card(description.board);
      cards.set(key, card);
    }
    if (card.element === place) place = place.nextElementSibling;
    else part("boards").insertBefore(card.element, place);
    card.describe(description);
  }
  part("links").textContent = "";
  for (const { board } of more) {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const name = document.createElement("bdi");
    name.textContent = shown(board);
    link.href = `/overlay/${encoded(board)}?top=10`;
    link.append(name);
    item.append(link);
    part("links").append(item);
  }
  part("more").hidden = more.length === 0;
  part("none").hidden = boards.length > 0;
  part("search").hidden = boards.length < SEARCH_FROM;
  listen(live.map(({ board }) => board));
}

let timer;
async function look() {
  clearTimeout(timer);
  try {
    boards = await fetchBoards();
    isHeard = true;
    if (!stream) showState(false);
    showBoards();
  } catch {
    if (!stream) showState(false); // the gateway, or the game server, is away: asked again
  }
  clearTimeout(timer);
  timer = setTimeout(look, LOOK_MS);
}

let typing;
part("find").addEventListener("input", () => {
  clearTimeout(typing);
  typing = setTimeout(showBoards, TYPED_MS);
});
part("search").addEventListener("submit", (event) => event.preventDefault());
showState(false);
look();
