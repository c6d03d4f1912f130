/** The search for out-of-order values stops after this many passes over the text. */
const maxPasses = 16;
const minBudget = 100_000;

/**
 * Whether the content's text contains every text and number of the structured content, as is or with JSON escapes. False when
 * the search takes too long.
 */
export function textCoversStructured(structured: unknown, content: unknown): boolean {
  let text = leavesOf(content).join("\n");
  let isUnescaped = false;
  let at = 0;
  let budget = minBudget + maxPasses * text.length;
  const find = (part: string, from: number) => {
    const found = text.indexOf(part, from);
    budget -= (found < 0 ? text.length : found) - from;
    return found;
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
