/** The search for out-of-order values stops after this many passes over the text. */
const maxPasses = 16;
const minBudget = 100_000;
/** Maximum characters that are searched and compared. */
const maxBudget = 40_000_000;
/** Number of characters of a part that are searched for; the others are compared. The engine's search for a long part takes quadratic time. */
const maxSearchedLength = 16;

/**
 * Whether the content's text contains every text and number of the structured content, as is or with JSON escapes. False when
 * the search takes too long.
 */
export function textCoversStructured(structured: unknown, content: unknown): boolean {
  let text = leavesOf(content).join("\n");
  let isUnescaped = false;
  let at = 0;
  let budget = Math.min(minBudget + maxPasses * text.length, maxBudget);
  const find = (part: string, from: number): number => {
    const beginning = part.slice(0, maxSearchedLength);
    for (let next = from; budget >= 0;) {
      const found = text.indexOf(beginning, next);
      budget -= (found < 0 ? text.length : found) - next + part.length;
      if (found < 0 || text.startsWith(part, found)) return found;
      next = found + 1;
    }
    return -1;
  };
  const says = (part: string): boolean => {
    if (budget < 0) return false;
    // Values mostly occur in order, so that one pass finds all.
    let found = find(part, at);
    if (found < 0 && at > 0) found = find(part, 0);
    if (found >= 0) {
      at = found;
      return true;
    }
    if (isUnescaped || !text.includes("\\")) return false;
    isUnescaped = true;
    text = `${text}\n${unescape(text)}`;
    return says(part);
  };
  return leavesOf(structured).every(says);
}

/** Every text and number in a value, in order. */
function leavesOf(value: unknown, leaves: string[] = []): readonly string[] {
  if (typeof value === "string") leaves.push(value);
  else if (typeof value === "number") leaves.push(String(value));
  else if (value !== null && typeof value === "object") for (const one of Object.values(value)) leavesOf(one, leaves);
  return leaves;
}

const escapes: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

function unescape(text: string): string {
  return text.replaceAll(/\\(?:u([\da-f]{4})|(.))/gi, (_, code: string | undefined, letter: string) =>
    code === undefined ? (escapes[letter] ?? letter) : String.fromCharCode(Number.parseInt(code, 16)),
  );
}
