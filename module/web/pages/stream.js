// stream.js - a server-sent stream that is opened again for ever.
//
//   why not  EventSource: it sets no header (the token of /v1/me), gives up for good on an error
//            status, and does not see the comments that show that a silent connection still stands
//   again    after 0.25 s, then twice as long each time, at most 2 s, so that a page shows the
//            newest state soon after a gateway came back; later if the server asks for it
//            (`retry`, Retry-After). A random part spreads the viewers.
//   lost     a connection that says nothing for 40 s (the gateway's comments come each 15 s)

const FIRST_MS = 250;
const LAST_MS = 2000;
const REFUSED_MS = 5000; // after a status that the same request will most likely get again
const SILENCE_MS = 40000;
const ANSWER_MS = 10000;
const RETRY_AFTER_MAX_S = 60;

// Splits a stream into events { type, data, id }. `retry` is the last one that the server sent.
export class EventParser {
  constructor() {
    this.rest = "";
    this.retry = undefined;
    this.clear();
  }

  clear() {
    this.type = "";
    this.data = [];
  }

  // Calls found(event) for each event that the text completes.
  push(text, found) {
    // A \r at the end may be half of a \r\n.
    const lines = (this.rest + text).split(/\r\n|\n|\r(?!$)/);
    this.rest = lines.pop();
    for (const line of lines) this.line(line, found);
  }

  line(line, found) {
    if (line === "") {
      if (this.data.length > 0) {
        found({ type: this.type || "message", data: this.data.join("\n"), id: this.id });
      }
      this.clear();
      return;
    }
    const colon = line.indexOf(":");
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(colon + 1).replace(/^ /, "");
    if (field === "event") this.type = value;
    else if (field === "data") this.data.push(value);
    else if (field === "id" && !value.includes("\0")) this.id = value;
    else if (field === "retry" && /^\d+$/.test(value)) this.retry = Number(value);
  }
}

async function errorOf(response) {
  try {
    return (await response.json()).error || "";
  } catch {
    return "";
  }
}

// Opens the stream. `hears`, each of which may be left out:
//   event(type, data)        an event, its data read as JSON
//   open()                   the server answered: what is shown is, or will be at once, the newest
//   lost()                   the connection is gone, and is being opened again
//   refused(status, error)   an error status; true: do not try again
// Returns { close(), again() }; again() opens it again at once.
export function openStream(url, hears, headers = {}) {
  let controller;
  let timer;
  let silence;
  let attempts = 0;
  let retry;
  let lastId;
  let closed = false;

  const hear = (name, ...args) => (hears[name] ? hears[name](...args) : undefined);

  function expect(ms) {
    clearTimeout(silence);
    const waited = controller;
    silence = setTimeout(() => waited.abort(), ms);
  }

  function later(atLeast) {
    const wait = Math.min(
      Math.max(retry || 0, FIRST_MS) * 2 ** attempts,
      Math.max(retry || 0, LAST_MS),
    );
    attempts = Math.min(attempts + 1, 8);
    timer = setTimeout(connect, Math.max(wait, atLeast) * (0.8 + 0.3 * Math.random()));
  }

  async function read(response) {
    const reader = response.body.getReader();
    const decoder = new TextDecoder();
    const parser = new EventParser();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      expect(SILENCE_MS);
      parser.push(decoder.decode(value, { stream: true }), (event) => {
        if (closed) return;
        let data;
        try {
          data = JSON.parse(event.data);
        } catch {
          return; // not ours
        }
        // After `gone` the state that the page holds is not the server's.
        lastId = event.type === "gone" ? undefined : event.id;
        try {
          hear("event", event.type, data);
        } catch (error) {
          setTimeout(() => {
            throw error; // a fault of the page, not of the connection
          });
        }
      });
      if (parser.retry !== undefined) retry = parser.retry;
    }
  }

  // Returns for how long the server asked to wait, in milliseconds; undefined: not again.
  async function attempt() {
    expect(ANSWER_MS);
    const response = await fetch(url, {
      headers: {
        ...headers,
        Accept: "text/event-stream",
        ...(lastId ? { "Last-Event-ID": lastId } : {}),
      },
      cache: "no-store",
      credentials: "omit",
      signal: controller.signal,
    });
    if (!response.ok) {
      const error = await errorOf(response);
      if (closed || hear("refused", response.status, error)) return undefined;
      const seconds = Number(response.headers.get("Retry-After")) || 0;
      const asked = Math.min(seconds, RETRY_AFTER_MAX_S) * 1000;
      return response.status < 500 && response.status !== 429 ? Math.max(asked, REFUSED_MS) : asked;
    }
    attempts = 0;
    hear("open");
    expect(SILENCE_MS);
    await read(response);
    return 0;
  }

  async function connect() {
    const own = new AbortController();
    controller = own;
    let wait = 0;
    try {
      wait = await attempt();
    } catch {
      wait = 0; // no connection, or it broke
    }
    if (closed || controller !== own) return;
    clearTimeout(silence);
    if (wait === undefined) return;
    hear("lost");
    later(wait);
  }

  function end() {
    clearTimeout(timer);
    clearTimeout(silence);
    const old = controller;
    controller = undefined;
    if (old) old.abort();
  }

  connect();
  return {
    close() {
      closed = true;
      end();
    },
    again() {
      if (closed) return;
      end();
      attempts = 0;
      connect();
    },
  };
}
