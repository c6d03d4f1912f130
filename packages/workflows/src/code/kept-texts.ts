import type { Delivery } from "./protocol.ts";

/** Maximum characters of a text that a script gets at once. */
const maxText = 16_000_000;
/** Characters of a piece in which a script searches. */
const pieceLength = 1_000_000;

/** The texts of large results, of which a script reads parts. */
export function createKeptTexts() {
  const texts = new Map<string, string>();

  function read(handle: string, [part, from, to]: readonly unknown[]): string {
    const text = texts.get(handle);
    if (text === undefined) throw new Error(`${handle.slice(0, 80)}: open it with handles.open`);
    if (part === "piece") return JSON.stringify(pieceOf(text, Number(from)));
    if (part === "lines") return JSON.stringify(linesOf(text, from, to));
    if (text.length > maxText)
      throw new Error(`it has ${text.length} characters, more than ${maxText}; use lines or grep`);
    return part === "json" ? text : JSON.stringify(text);
  }

  return {
    keep: (handle: string, text: string): void => void texts.set(handle, text),
    /** Answers a request to read. @param json `[handle, part, from, to]` */
    answer(id: number, json: string): Delivery {
      const [handle, ...part] = JSON.parse(json) as unknown[];
      try {
        return { id, kind: "value", json: read(String(handle), part) };
      } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        return { id, kind: "error", json: JSON.stringify({ code: "invalid_input", message }) };
      }
    },
  };
}

/** Whole lines from an offset on, and the offset of what follows. A longer line is cut. */
function pieceOf(text: string, from: number): { readonly text: string; readonly next: number | null } {
  const at = Number.isInteger(from) && from >= 0 ? from : 0;
  const cut = text.lastIndexOf("\n", at + pieceLength);
  const end = at + pieceLength >= text.length ? text.length : cut > at ? cut : at + pieceLength;
  return { text: text.slice(at, end), next: end >= text.length ? null : text[end] === "\n" ? end + 1 : end };
}

/** Lines by their numbers, from 1. */
function linesOf(text: string, from: unknown, to: unknown): readonly string[] {
  const [first, last] = [Math.max(Number(from ?? 1), 1), Number(to ?? Infinity)];
  const lines: string[] = [];
  for (let at = 0, line = 1; at <= text.length && line <= last; line += 1) {
    const end = text.indexOf("\n", at);
    const next = end < 0 ? text.length : end;
    if (line >= first) lines.push(text.slice(at, next));
    at = next + 1;
  }
  return lines;
}
