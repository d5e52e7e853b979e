// text.js - names and ids of players and boards as text for people.
//
//   name     a string, or { base64 } for bytes that are not UTF-8
//   escaped  control and layout characters are shown as \x1b and \u{202e}, so that a name cannot
//            hide or turn around what stands beside it. A page puts names into textContent only.
//   source   Unicode 15, section 23.2 (layout controls)

const HIDDEN =
  /[\u0000-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function escape(character) {
  const code = character.charCodeAt(0);
  return code < 256 ? "\\x" + code.toString(16).padStart(2, "0") : `\\u{${code.toString(16)}}`;
}

export function escaped(text) {
  return text.replace(HIDDEN, escape);
}

function bytesOf(base64) {
  try {
    return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  } catch {
    return new Uint8Array();
  }
}

// Bytes that are mostly text are shown as such, with a mark in place of what is not; others, such
// as binary ids, as hexadecimal digits.
function bytesText(bytes) {
  const text = new TextDecoder().decode(bytes);
  const damaged = [...text].filter((character) => character === "\ufffd" || character < " ").length;
  if (damaged * 3 <= [...text].length) return escaped(text);
  return "#" + Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

// What a name looks like; "" for none.
export function shown(name) {
  if (typeof name === "string") return escaped(name);
  return name && typeof name.base64 === "string" ? bytesText(bytesOf(name.base64)) : "";
}

// What a player is called: the name, or the id if there is no visible name.
export function playerText(entry) {
  const name = shown(entry.name);
  return name.trim() ? name : shown(entry.player);
}

// A text that is the same for the same name and for no other.
export function keyOf(name) {
  return typeof name === "string" ? "=" + name : "#" + (name && name.base64);
}

// A name as one segment of a path or one value of a query.
export function encoded(name) {
  if (typeof name === "string") return encodeURIComponent(name);
  const bytes = Array.from(bytesOf(name.base64));
  return bytes.map((byte) => "%" + byte.toString(16).toUpperCase().padStart(2, "0")).join("");
}

// A segment of this page's path, in the form of `encoded`. Bytes that are not UTF-8 stay as they
// are.
export function encodedAgain(segment) {
  return segment.replace(/%[0-9a-f]{2}|[^A-Za-z0-9_.!~*'()-]/gi, (part) =>
    part.length === 3 ? part : encodeURIComponent(part),
  );
}
