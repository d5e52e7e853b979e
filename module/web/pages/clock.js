// clock.js - the countdown to when results end, or to the next season.
import { serverNow } from "./boards.js";

const two = (number) => String(number).padStart(2, "0");

// Seconds as 4:05, 3:04:05 or 2d 03:04:05.
export function countdownText(seconds) {
  const left = Math.max(0, Math.ceil(seconds));
  const days = Math.floor(left / 86400),
    hours = Math.floor(left / 3600) % 24;
  const tail = `${two(Math.floor(left / 60) % 60)}:${two(left % 60)}`;
  if (days > 0) return `${days}d ${two(hours)}:${tail}`;
  return hours > 0 ? `${hours}:${tail}` : tail.replace(/^0/, "");
}

// What comes next for a board: { label, at }; at is undefined if nothing is counted.
export function nextMoment(description, now) {
  const closes = description.closes_at,
    resets = description.resets_at;
  const open = closes === undefined || closes > now;
  if (closes !== undefined && open && !(resets <= closes && resets > now)) {
    return { label: "ends in", at: closes };
  }
  if (resets !== undefined && resets > now)
    return { label: open ? "resets in" : "next in", at: resets };
  return { label: open ? "" : "closed" };
}

// Shows the countdown in an element with the parts `label` and `time`. due() is called when it
// ends.
export class Countdown {
  constructor(label, time, due) {
    Object.assign(this, { label, time, due });
  }

  describe(description) {
    this.description = description;
    this.tick();
  }

  tick() {
    clearTimeout(this.timer);
    if (!this.description) return;
    const now = serverNow();
    const { label, at } = nextMoment(this.description, now);
    if (this.counted !== undefined && this.counted !== at && this.counted <= now) this.due();
    this.counted = at;
    this.label.textContent = label;
    this.time.textContent = at === undefined ? "" : countdownText(at - now);
    if (at === undefined) return;
    // Soon after the next full second: a timer may be early.
    this.timer = setTimeout(() => this.tick(), (((at - now) * 1000) % 1000) + 20);
  }
}
