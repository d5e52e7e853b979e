// boards.js - the descriptions of the published boards: /v1/boards.
import { keyOf } from "./text.js";

const CLOCK_OFF_MS = 2000; // a smaller difference may be the road's

let offset = 0;

// The server's time in seconds: a viewer's clock may be minutes off.
export function serverNow() {
  return (Date.now() + offset) / 1000;
}

// All published boards. Throws if the gateway cannot say.
export async function fetchBoards() {
  const response = await fetch("/v1/boards", { cache: "no-cache", credentials: "omit" });
  if (!response.ok) throw new Error(`status ${response.status}`);
  const now = Date.parse(response.headers.get("Date") || "");
  const difference = now - Date.now();
  if (!Number.isNaN(now)) offset = Math.abs(difference) > CLOCK_OFF_MS ? difference : 0;
  return response.json();
}

const FIRST_MS = 1000;
const LAST_MS = 15000;
const SPREAD_MS = 2000; // so that not all viewers ask at the moment of a reset
const AGAIN_MS = 120000; // closes_at may change within a season

// Keeps one board's description: asks when need(state) sees another epoch or season, and sometimes
// again if it is for a clock. Calls heard(description); undefined if there is none.
export class DescriptionKeeper {
  constructor(heard, isForClock = false) {
    Object.assign(this, { heard, isForClock });
    this.waits = FIRST_MS;
  }

  need(state) {
    const wanted = `${state.epoch} ${state.season}`;
    if (this.wanted === wanted) return;
    const isFirst = this.wanted === undefined;
    this.wanted = wanted;
    this.state = state;
    this.waits = FIRST_MS;
    if (isFirst) this.ask();
    else this.askAfter(SPREAD_MS * Math.random());
  }

  askAfter(ms) {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.ask(), ms);
  }

  async ask() {
    clearTimeout(this.timer);
    const { wanted, state } = this;
    let found;
    try {
      const boards = await fetchBoards();
      found = boards.find((each) => keyOf(each.board) === keyOf(state.board));
    } catch {
      found = undefined;
    }
    if (wanted !== this.wanted) return;
    this.heard(found);
    // The list may be a moment behind the stream.
    const isCurrent = found && (found.season === undefined || found.season === state.season);
    if (isCurrent && !this.isForClock) return;
    const wait = isCurrent ? AGAIN_MS : this.waits;
    if (!isCurrent) this.waits = Math.min(this.waits * 2, LAST_MS);
    this.askAfter(wait * (0.8 + 0.4 * Math.random()));
  }
}
