// numbers.js - scores as text: with the board's decimals, or as times.

const TIME_DECIMALS = 3; // of boards without decimals of their own

// Without decimals a score is shown as Lua prints it: at most 14 digits.
export function scoreText(score, decimals) {
  if (decimals !== undefined) return score.toFixed(decimals);
  return String(Number(score.toPrecision(14)));
}

const two = (number) => String(number).padStart(2, "0");

// Seconds as 1:01.500 or 1:02:03.500.
export function timeText(seconds, decimals = TIME_DECIMALS) {
  const scale = 10 ** decimals;
  const units = Math.round(Math.abs(seconds) * scale); // rounded once, so that no 60 is shown
  if (!Number.isSafeInteger(units)) return scoreText(seconds, decimals);
  const whole = Math.floor(units / scale);
  const hours = Math.floor(whole / 3600);
  const minutes = Math.floor(whole / 60) % 60;
  const rest =
    two(whole % 60) + (decimals > 0 ? "." + String(units % scale).padStart(decimals, "0") : "");
  const sign = seconds < 0 && units > 0 ? "-" : "";
  return sign + (hours > 0 ? `${hours}:${two(minutes)}:${rest}` : `${minutes}:${rest}`);
}

// Writes a number into an element. Groups of three digits stand apart by a margin (the class
// `group`), so that the text itself stays the number.
export function putNumber(element, text) {
  if (element.textContent === text) return;
  const digits = /^-?(\d{4,})/.exec(text);
  if (!digits) {
    element.textContent = text;
    return;
  }
  const end = digits[0].length;
  const groups = [];
  let at = end;
  while (digits[1].length - (end - at) > 3) {
    at -= 3;
    groups.unshift(text.slice(at, at + 3));
  }
  groups[groups.length - 1] += text.slice(end);
  element.textContent = text.slice(0, at);
  for (const group of groups) {
    const span = document.createElement("span");
    span.className = "group";
    span.textContent = group;
    element.append(span);
  }
}

// The width that a number takes: in digits of the font, and in em for the gaps between groups.
export function widthOf(text) {
  let digits = 0;
  for (const character of text) digits += /[.,:]/.test(character) ? 0.55 : 1;
  const whole = /^-?(\d+)/.exec(text);
  return { digits, gaps: whole ? Math.floor((whole[1].length - 1) / 3) : 0 };
}
