// me.js - /me?board=NAME&n=2#token=…: the place of the token's player with n above and n below,
// live. The token stays in the fragment, which no server and no log sees, and goes out in a header
// only.
import { DescriptionKeeper } from "./boards.js";
import { readOptions } from "./options.js";
import { BoardTable } from "./rows.js";
import { openStream } from "./stream.js";
import { encodedAgain, keyOf, playerText, shown } from "./text.js";

const options = readOptions(location.search);
const part = (id) => document.getElementById(id);
const table = new BoardTable(part("rows"), { marks: false });
let stream,
  state,
  described = false,
  isLost = false,
  isGone = false;

table.describe({}, options.time); // until more is known
const keeper = new DescriptionKeeper((description) => {
  if (description) table.describe(description, options.time);
  described = true;
  show();
});

// The board's name as the address has it, which need not be UTF-8.
function boardInAddress() {
  const found = /[?&]board=([^&]*)/.exec(location.search);
  return found && found[1] ? encodedAgain(found[1].replace(/\+/g, "%20")) : undefined;
}

function say(text, more = "", canTry = false) {
  if (part("message-text").textContent !== text) part("message-text").textContent = text;
  part("message-more").textContent = more;
  part("message-more").hidden = !more;
  part("again").hidden = !canTry;
  part("message").hidden = !text;
  part("rows").hidden = Boolean(text);
}

function showNotice() {
  const text = isLost
    ? "Reconnecting"
    : isGone
      ? "The board is away"
      : state && state.stale
        ? "Not live: the game server is away"
        : "";
  if (part("notice").textContent !== text) part("notice").textContent = text;
}

// A rank as people say it: 1st, 2nd, 3rd, 11th; 2.5 stays 2.5.
function ordinal(rank) {
  if (!Number.isInteger(rank)) return String(rank);
  const last = rank % 10,
    teen = Math.floor(rank / 10) % 10 === 1;
  return rank + ((!teen && { 1: "st", 2: "nd", 3: "rd" }[last]) || "th");
}

function show() {
  if (!state || !described) return;
  const title = options.title || shown(state.board);
  part("title").textContent = title;
  document.title = title;
  table.label(title);
  showNotice();
  part("rows").hidden = false; // it is laid out for the room that it has
  const own = state.entries.find(({ player }) => keyOf(player) === keyOf(state.player));
  part("place").hidden = !own;
  if (own) {
    say("");
    part("rank-number").textContent = ordinal(own.rank);
    part("rank-of").textContent = `of ${state.size}`;
    part("name").textContent = playerText(own);
  }
  table.show({ entries: state.entries, epoch: state.epoch, own: state.player });
  if (!own) {
    say(
      "You are not ranked on this board yet.",
      `${shown(state.player)}: play, and your place shows here.`,
    );
  }
  if (own) part("score").textContent = table.scoreOf(state.player);
}

function clear() {
  state = undefined;
  part("place").hidden = true;
  table.show({ entries: [] });
}

function refused(status, error) {
  if (status === 401 || status === 403) {
    clear();
    say(
      "This link is no longer good.",
      "Its token has ended, or was never given. Ask for a new link in the game.",
      true,
    );
    return true;
  }
  if (status === 404 && !state) say("Waiting for the board.", error);
  else if (status === 429) say("The gateway is full.", "This page tries again by itself.");
  else if (!state) say("The game server is away.", "This page tries again by itself.");
  return false;
}

function begin() {
  if (stream) stream.close();
  stream = undefined;
  isLost = isGone = false;
  clear();
  showNotice();
  const token = new URLSearchParams(location.hash.slice(1)).get("token");
  const board = boardInAddress();
  if (!board) return say("This link names no board.", "It ends in ?board=NAME#token=…");
  if (!token || !/^[\x21-\x7e]+$/.test(token)) {
    return say("This link has no token.", "Ask for your link in the game: it ends in #token=…");
  }
  say("Connecting.");
  stream = openStream(
    `/v1/me?board=${board}&n=${options.n}`,
    {
      event(type, data) {
        isGone = type === "gone";
        if (isGone && !state) say("Waiting for the board.", data.error);
        else if (Array.isArray(data.entries)) {
          state = data;
          keeper.need(state);
          show();
        }
        showNotice();
      },
      open() {
        isLost = false;
        showNotice();
        if (!state) say("Waiting for the board.");
      },
      lost() {
        isLost = true;
        if (!state && part("message").hidden)
          say("The gateway is away.", "This page tries again by itself.");
        showNotice();
      },
      refused,
    },
    { Authorization: `Bearer ${token}` },
  );
}

part("again").addEventListener("click", begin);
addEventListener("hashchange", begin);
// A phone that comes back to the page may have lost the connection without a word.
addEventListener("online", () => stream && stream.again());
begin();
