/** Gets each row of a delimited text. Cells are cut to a length. The same array is used for each row. Returns false to stop. */
type LookAtRow = (cells: readonly string[], cellCount: number) => boolean;

const maxCells = 200;
const maxCellCharacters = 60;

/** Reads rows of cells, as RFC 4180 has them: a quoted cell may hold delimiters and line breaks. False when a quote is never closed. */
export function forEachRow(text: string, delimiter: string, look: LookAtRow): boolean {
  const nextEnd = new RegExp(`[\\n${delimiter === "|" ? "\\|" : delimiter}]`, "g");
  let cells: string[] = [];
  let count = 0;
  const add = (cell: string) => {
    count += 1;
    if (cells.length < maxCells) cells.push(cell);
  };
  for (let at = 0; at < text.length;) {
    let end: number;
    if (text[at] === '"') {
      const close = closingQuote(text, at + 1);
      if (close < 0) return false;
      add(text.slice(at + 1, Math.min(close, at + 1 + maxCellCharacters)).replaceAll('""', '"'));
      end = close + 1;
    } else {
      nextEnd.lastIndex = at;
      end = nextEnd.exec(text)?.index ?? text.length;
      add(text.slice(at, Math.min(end, at + maxCellCharacters)).trim());
    }
    if (text[end] === "\r") end += 1;
    if (end < text.length && text[end] !== "\n") {
      // A closed quote must end its cell.
      if (text[end] !== delimiter) return false;
      at = end + 1;
      if (at < text.length && text[at] !== "\n") continue;
      add("");
      end = at;
    }
    const isBlank = count === 1 && cells[0] === "";
    if (!isBlank && !look(cells, count)) return true;
    cells = [];
    count = 0;
    at = end + 1;
  }
  return true;
}

function closingQuote(text: string, from: number): number {
  for (let at = from; ;) {
    const quote = text.indexOf('"', at);
    if (quote < 0 || text[quote + 1] !== '"') return quote;
    at = quote + 2;
  }
}
