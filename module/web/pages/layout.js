// layout.js - how wide the cells of a board's table are, and in how many blocks its rows are set.
//
//   widths   of numbers only grow, so that nothing moves when a number changes. They are counted in
//            digits (`ch`), which are all of one width, and in em.
//   columns  that leave no room for names are hidden, from the last one on
//   blocks   a list that does not fit in the window is set in several blocks side by side, in
//            smaller type if that shows all of it. Otherwise it keeps its size, and continues below.
import { widthOf } from "./numbers.js";

const DIGIT_EM = 0.64; // about
const GROUP_EM = 0.22; // between groups of digits: as in rows.css, and a little more
const CELL_EM = 0.55; // between cells, as in rows.css
const APART_EM = 0.35; // between two columns, beside that
const EDGES_EM = 1.15; // of a row, as in rows.css
const RANK_EM = 0.7; // beside the digits of a rank
const CHANGE_EM = 1.1; // ▲ and its gap
const CHANGE_DIGIT = 0.8; // the size of its number
const HEADING_EM = 0.55; // about, a letter of a heading

const NAME_MIN_EM = 4.5;
const NAME_EM = 8.5; // what a name should have in a block
const COMPACT_EM = 19; // a narrower row shows ▲▼ without numbers
const BLOCK_MIN_EM = 21;
const BLOCK_ROWS = 13; // a shorter list is never set in several blocks
const BLOCKS_MAX = 6;
const PITCH_EM = 2.5; // about, from a row to the next
const TYPE_MIN = 12; // pixels: smaller type is not read
const SHRINK_STEP = 0.05;

export class TableLayout {
  // showHeadings(n) makes the headings of n blocks.
  constructor(table, body, hasBlocks, showHeadings) {
    Object.assign(this, { table, body, hasBlocks, showHeadings });
    this.shrink = 1;
  }

  // Forgets all widths. `headings`: one for each column of scores; "": none.
  begin(headings) {
    this.scores = headings.map((text) => ({
      digits: 1,
      gaps: 0,
      heading: text.length * HEADING_EM,
    }));
    this.rank = 1;
    this.change = 0;
    this.laid = undefined;
    this.headed = 1;
    this.showHeadings(1);
  }

  // Widens the columns to what a row shows.
  grow(row, hasChanges) {
    this.rank = Math.max(this.rank, widthOf(row.rank.textContent).digits);
    if (hasChanges) this.change = Math.max(this.change, 1, row.change.textContent.length - 1);
    row.scores.forEach((cell, i) => {
      const { digits, gaps } = widthOf(cell.textContent);
      const width = this.scores[i];
      width.digits = Math.max(width.digits, digits);
      width.gaps = Math.max(width.gaps, gaps);
    });
  }

  // The width of one column of scores and what parts it from the one before, about, in em.
  static scoreEm({ digits, gaps, heading }) {
    return Math.max(digits * DIGIT_EM + gaps * GROUP_EM, heading) + CELL_EM + APART_EM;
  }

  // The width of all that stands before the scores, without the name, about, in em.
  fixedEm(isCompact) {
    const change = this.change * DIGIT_EM * CHANGE_DIGIT;
    return (
      EDGES_EM +
      CELL_EM +
      this.rank * DIGIT_EM +
      RANK_EM +
      (this.change > 0 ? CHANGE_EM + CELL_EM + (isCompact ? 0 : change) : 0)
    );
  }

  blocksFor(count, room, em) {
    if (!this.hasBlocks || count < BLOCK_ROWS) return { blocks: 1, lines: count, shrink: 1 };
    const scores = this.scores.reduce((sum, score) => sum + TableLayout.scoreEm(score), 0);
    const blockEm = Math.max(BLOCK_MIN_EM, this.fixedEm(false) + NAME_EM + scores);
    const base = em / this.shrink;
    const above = (this.body.getBoundingClientRect().top + scrollY) / this.shrink;
    const laid = (shrink) => {
      const widest = Math.min(BLOCKS_MAX, Math.floor(room / base / shrink / blockEm)) || 1;
      const fitting = Math.max(4, Math.floor((innerHeight / shrink - above) / base / PITCH_EM));
      const lines = Math.ceil(count / Math.min(widest, Math.ceil(count / fitting)));
      return { blocks: Math.ceil(count / lines), lines, shrink, fits: lines <= fitting };
    };
    for (let shrink = 1; shrink === 1 || base * shrink >= TYPE_MIN; shrink -= SHRINK_STEP) {
      const found = laid(shrink);
      if (found.fits) return found;
    }
    return laid(1);
  }

  // Lays the table out, which has `count` rows, for the room that there is now.
  fit(count) {
    const typeSize = () => parseFloat(getComputedStyle(this.body).fontSize);
    const em = typeSize();
    if (!this.table.getBoundingClientRect().width || !em) return; // not shown
    const root = document.documentElement;
    const { blocks, lines, shrink } = this.blocksFor(count, root.clientWidth - 1.4 * em, em);
    if (this.hasBlocks) {
      this.shrink = shrink;
      root.style.setProperty("--shrink", shrink.toFixed(2));
      root.style.setProperty("--across", blocks);
    }
    const room = this.table.getBoundingClientRect().width / typeSize() / blocks;
    const isCompact = room < COMPACT_EM;
    let left = room - this.fixedEm(isCompact) - NAME_MIN_EM;
    let shown = 0;
    for (const score of this.scores) {
      left -= TableLayout.scoreEm(score);
      if (left < 0 && shown > 0) break;
      shown++;
    }
    const cells = this.cells(shown, isCompact);
    const laid = `${cells} ${blocks} ${lines}`;
    if (laid === this.laid) return;
    this.laid = laid;
    if (blocks !== this.headed) this.showHeadings(blocks);
    this.headed = blocks;
    this.table.style.setProperty("--cells", cells);
    this.table.style.setProperty("--blocks", blocks);
    this.table.style.setProperty("--lines", lines);
    this.table.dataset.columns = shown;
    this.table.classList.toggle("compact", isCompact);
    this.table.classList.toggle("flat", this.change === 0);
    this.table.classList.toggle("blocks", blocks > 1);
  }

  // The widths of a row's cells, for the style sheet.
  cells(shown, isCompact) {
    const widths = [`calc(${this.rank.toFixed(2)}ch + ${isCompact ? 0.4 : RANK_EM}em)`];
    if (this.change > 0) {
      const digits = isCompact ? 0 : this.change * CHANGE_DIGIT;
      widths.push(`calc(${CHANGE_EM}em + ${digits.toFixed(2)}ch)`);
    }
    widths.push("minmax(0,1fr)");
    this.scores.slice(0, shown).forEach(({ digits, gaps, heading }, i) => {
      const apart = i > 0 ? APART_EM : 0;
      widths.push(
        `max(calc(${digits.toFixed(2)}ch + ${(gaps * GROUP_EM + apart).toFixed(2)}em), ` +
          `${(heading + apart).toFixed(2)}em)`,
      );
    });
    return widths.join(" ");
  }
}
