// overlay.js - /overlay/NAME: a board over a stream. Shows nothing until the board's first state.
import { DescriptionKeeper } from "./boards.js";
import { Countdown } from "./clock.js";
import { readOptions } from "./options.js";
import { BoardTable } from "./rows.js";
import { openStream } from "./stream.js";
import { encodedAgain, shown } from "./text.js";

const UNHEARD_MS = 2500; // a connection that is back sooner was never missed

const options = readOptions(location.search);
const part = (id) => document.getElementById(id);
const overlay = part("overlay");
const table = new BoardTable(part("rows"), { blocks: true });
const countdown = new Countdown(part("clock-label"), part("clock-time"), () => keeper.ask());
let state, described, lostTimer;
let isLost = false,
  isGone = false;

table.describe({}, options.time); // until more is known
document.documentElement.style.setProperty("--scale", options.scale);
part("clock").hidden = !options.clock;

const keeper = new DescriptionKeeper((description) => {
  if (description) {
    table.describe(description, options.time);
    if (options.clock) countdown.describe(description);
  }
  described = true;
  show();
}, options.clock);

function showNotice() {
  const text = isLost
    ? "reconnecting"
    : isGone
      ? "board away"
      : state && state.stale
        ? "not live"
        : "";
  part("notice").hidden = !text;
  part("notice-text").textContent = text;
  overlay.classList.toggle("gone", isGone);
}

function show() {
  if (!state || !described) return;
  const title = options.title === null ? shown(state.board) : options.title;
  part("title").textContent = title;
  part("title").hidden = !title;
  document.title = title || shown(state.board);
  table.label(title || shown(state.board));
  part("players").textContent = state.size === 1 ? "1 player" : `${state.size} players`;
  showNotice();
  overlay.hidden = false;
  table.show({ entries: state.top, epoch: state.epoch });
}

// Called at each attempt that fails, too.
function setLost(lost) {
  if (!lost) {
    clearTimeout(lostTimer);
    lostTimer = undefined;
    isLost = false;
    showNotice();
  } else if (lostTimer === undefined) {
    lostTimer = setTimeout(() => {
      isLost = true;
      showNotice();
    }, UNHEARD_MS);
  }
}

const name = encodedAgain(location.pathname.replace(/^\/overlay\//, ""));
openStream(`/v1/live?board=${name}&top=${options.top}`, {
  event(type, data) {
    if (type === "gone") {
      isGone = true;
      showNotice();
    } else if (Array.isArray(data.top)) {
      isGone = false;
      state = data;
      keeper.need(state);
      show();
    }
  },
  open: () => setLost(false),
  lost: () => setLost(true),
});
