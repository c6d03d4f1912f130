/** Maximum characters of a line that are looked at. */
const maxLineCharacters = 300;

/** Calls back with each line of a text, cut to a length, and its number from 1. */
export function forEachLine(text: string, look: (line: string, number: number) => void): void {
  let number = 1;
  for (let start = 0; start <= text.length; number += 1) {
    const feed = text.indexOf("\n", start);
    const end = feed < 0 ? text.length : feed;
    look(end === start ? "" : text.slice(start, Math.min(end, start + maxLineCharacters)), number);
    start = end + 1;
  }
}

/** Characters of a text from which a sample decides on its format. */
const maxWholeCharacters = 400_000;
const samplePieces = 40;
const samplePieceCharacters = 10_000;

/** The text, or pieces of whole lines from all parts of a long text. */
export function sampleOf(text: string): string {
  if (text.length <= maxWholeCharacters) return text;
  const step = (text.length - samplePieceCharacters) / (samplePieces - 1);
  const pieces = Array.from({ length: samplePieces }, (_, at) => {
    const start = Math.floor(at * step);
    const piece = text.slice(start, start + samplePieceCharacters);
    return piece.slice(at === 0 ? 0 : piece.indexOf("\n") + 1, piece.lastIndexOf("\n") + 1);
  });
  return pieces.join("");
}
