/** A text split into literal parts and `${…}` expressions. `$${` stands for `${`. */
export type Piece = { readonly text: string } | { readonly expression: string };

/** Splits a text. Undefined when a `${` is not closed. */
export function scan(text: string): readonly Piece[] | undefined {
  const pieces: Piece[] = [];
  let plain = "";
  let at = 0;
  while (at < text.length) {
    const open = text.indexOf("${", at);
    if (open < 0) break;
    if (text[open - 1] === "$" && open > at) {
      plain += `${text.slice(at, open - 1)}\${`;
      at = open + 2;
      continue;
    }
    const close = closing(text, open + 2);
    if (close === undefined) return undefined;
    plain += text.slice(at, open);
    if (plain !== "") pieces.push({ text: plain });
    plain = "";
    pieces.push({ expression: text.slice(open + 2, close).trim() });
    at = close + 1;
  }
  plain += text.slice(at);
  if (plain !== "") pieces.push({ text: plain });
  return pieces;
}

/** The index of the closing brace for an opening brace before `from`. Nested braces and strings are skipped. */
function closing(text: string, from: number): number | undefined {
  let depth = 0;
  for (let at = from; at < text.length; at += 1) {
    const character = text[at];
    if (character === '"' || character === "'") {
      at = endOfString(text, at);
    } else if (character === "{") {
      depth += 1;
    } else if (character === "}") {
      if (depth === 0) return at;
      depth -= 1;
    }
  }
  return undefined;
}

function endOfString(text: string, from: number): number {
  const quote = text[from];
  for (let at = from + 1; at < text.length; at += 1) {
    if (text[at] === "\\") at += 1;
    else if (text[at] === quote) return at;
  }
  return text.length;
}
