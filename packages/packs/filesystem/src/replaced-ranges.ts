/** A part of the original text, or text that replaced a part of it. */
type Piece = { readonly from: number; readonly to: number } | { readonly text: string };

/** A range of the original text, in UTF-16 units, and the text that replaces it. */
export interface ReplacedRange {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** A text during editing, as pieces of the original and new text. */
export interface EditedText {
  readonly text: string;
  readonly pieces: readonly Piece[];
}

export function unedited(text: string): EditedText {
  return { text, pieces: [{ from: 0, to: text.length }] };
}

/** Replaces a range of the current text. */
export function replaceRange(
  { text, pieces }: EditedText,
  { start, end, text: replacement }: ReplacedRange,
): EditedText {
  return {
    text: text.slice(0, start) + replacement + text.slice(end),
    pieces: [...slicePieces(pieces, 0, start), { text: replacement }, ...slicePieces(pieces, end, text.length)],
  };
}

/** Lists the replaced ranges of the original, in order. */
export function replacedRanges({ pieces }: EditedText, originalLength: number): readonly ReplacedRange[] {
  const ranges: ReplacedRange[] = [];
  let start = 0;
  let text = "";
  for (const piece of [...pieces, { from: originalLength, to: originalLength }]) {
    if ("text" in piece) {
      text += piece.text;
      continue;
    }
    if (piece.from > start || text !== "") ranges.push({ start, end: piece.from, text });
    [start, text] = [piece.to, ""];
  }
  return ranges;
}

function slicePieces(pieces: readonly Piece[], start: number, end: number): readonly Piece[] {
  const sliced: Piece[] = [];
  let at = 0;
  for (const piece of pieces) {
    const length = "text" in piece ? piece.text.length : piece.to - piece.from;
    const [from, to] = [Math.max(0, start - at), Math.min(length, end - at)];
    if (from < to) {
      sliced.push(
        "text" in piece ? { text: piece.text.slice(from, to) } : { from: piece.from + from, to: piece.from + to },
      );
    }
    at += length;
  }
  return sliced;
}
