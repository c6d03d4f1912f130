import type { MadeCall } from "../conversation.ts";
import type { WantedCall } from "../expectation.ts";
import type { Breach } from "./breach.ts";

/** Calls of one tool that follow upon one another. */
interface Stretch<Item> {
  readonly tool: string;
  readonly items: Item[];
}

/** A call and what the case says of it. */
export interface Match<Made extends MadeCall> {
  readonly wanted: WantedCall;
  readonly made: readonly Made[];
}

/**
 * Lays the calls that were made beside those that are wanted. Order is compared by stretches of one tool, so that it is checked
 * also where a call may repeat; how often, is checked for each stretch.
 */
export function matchCalls<Made extends MadeCall>(
  wanted: readonly WantedCall[],
  made: readonly Made[],
): { readonly matches: readonly Match<Made>[]; readonly breaches: readonly Breach[] } {
  const called = new Set(made.map(({ tool }) => tool));
  const missing = wanted.filter((call) => !called.has(call.tool_name) && atLeast(call) > 0);
  const expected = stretches(
    wanted.filter((call) => called.has(call.tool_name)),
    (call) => call.tool_name,
  );
  const actual = stretches(made, ({ tool }) => tool);
  const isInOrder = sequence(expected) === sequence(actual);
  const pairs = isInOrder
    ? expected.map((one, at) => ({ ...one, made: actual[at]?.items ?? [] }))
    : byTool(expected).map((one) => ({ ...one, made: made.filter(({ tool }) => tool === one.tool) }));
  const breaches: Breach[] = [...new Set(missing.map((call) => call.tool_name))].map((tool) => ({
    rule: "missing_call",
    message: `${tool} was not called`,
  }));
  if (!isInOrder) {
    breaches.push({
      rule: "call_order",
      message: `expected ${sequence(expected)}; the calls were ${sequence(actual)}`,
    });
  }
  return {
    matches: pairs.flatMap(({ items, made: calls }) => distribute(items, calls)),
    breaches: [...breaches, ...pairs.flatMap(({ tool, items, made: calls }) => countBreach(tool, items, calls.length))],
  };
}

/** The fewest successful calls that an entry asks for. */
export function atLeast({ allow_multiple: repeated }: WantedCall): number {
  if (typeof repeated === "boolean") return 1;
  return typeof repeated === "number" ? repeated : repeated.at_least;
}

function atMost({ allow_multiple: repeated }: WantedCall): number {
  if (typeof repeated === "boolean") return repeated ? Infinity : 1;
  return typeof repeated === "number" ? repeated : (repeated.at_most ?? Infinity);
}

function stretches<Item>(items: readonly Item[], toolOf: (item: Item) => string): Stretch<Item>[] {
  const found: Stretch<Item>[] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last?.tool === toolOf(item)) last.items.push(item);
    else found.push({ tool: toolOf(item), items: [item] });
  }
  return found;
}

function byTool(all: readonly Stretch<WantedCall>[]): Stretch<WantedCall>[] {
  const tools = [...new Set(all.map(({ tool }) => tool))];
  return tools.map((tool) => ({ tool, items: all.flatMap((one) => (one.tool === tool ? one.items : [])) }));
}

function sequence(all: readonly Stretch<unknown>[]): string {
  return all.map(({ tool }) => tool).join(", then ");
}

function countBreach(tool: string, wanted: readonly WantedCall[], count: number): Breach[] {
  const least = sum(wanted.map(atLeast));
  const most = sum(wanted.map(atMost));
  if (count >= least && count <= most) return [];
  const bounds = least === most ? `${least}` : most === Infinity ? `at least ${least}` : `${least} to ${most}`;
  const calls = `${bounds} call${bounds === "1" ? "" : "s"}`;
  return [
    { rule: "call_count", message: `${tool}: expected ${calls}, was called ${count} time${count === 1 ? "" : "s"}` },
  ];
}

/** In order, each entry as many as it may take while the later ones still get their least. */
function distribute<Made extends MadeCall>(wanted: readonly WantedCall[], made: readonly Made[]): Match<Made>[] {
  let next = 0;
  return wanted.map((call, at) => {
    const reserved = sum(wanted.slice(at + 1).map(atLeast));
    const free = Math.max(atLeast(call), made.length - next - reserved);
    const taken = made.slice(next, next + Math.min(free, atMost(call)));
    next += taken.length;
    return { wanted: call, made: taken };
  });
}

function sum(numbers: readonly number[]): number {
  return numbers.reduce((total, one) => total + one, 0);
}
