import type { MadeCall } from "../conversation.ts";
import type { WantedCall } from "../expectation.ts";
import type { Breach } from "./breach.ts";

interface ToolRun<Item> {
  readonly tool: string;
  readonly items: Item[];
}

/** An expected call, and the calls that were made for it. */
export interface Match<Made extends MadeCall> {
  readonly wanted: WantedCall;
  readonly made: readonly Made[];
}

/**
 * Matches the calls that were made with the expected ones. Order is compared by runs of one tool, so that it is checked for repeated calls
 * too. The number of calls is checked for each run.
 */
export function matchCalls<Made extends MadeCall>(
  wanted: readonly WantedCall[],
  made: readonly Made[],
): { readonly matches: readonly Match<Made>[]; readonly breaches: readonly Breach[] } {
  const called = new Set(made.map(({ tool }) => tool));
  const missing = wanted.filter((call) => !called.has(call.tool_name) && atLeast(call) > 0);
  const expected = groupRuns(
    wanted.filter((call) => called.has(call.tool_name)),
    (call) => call.tool_name,
  );
  const actual = groupRuns(made, ({ tool }) => tool);
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

/** Minimum number of successful calls of an entry. */
export function atLeast({ allow_multiple: repeated }: WantedCall): number {
  if (typeof repeated === "boolean") return 1;
  return typeof repeated === "number" ? repeated : repeated.at_least;
}

function atMost({ allow_multiple: repeated }: WantedCall): number {
  if (typeof repeated === "boolean") return repeated ? Infinity : 1;
  return typeof repeated === "number" ? repeated : (repeated.at_most ?? Infinity);
}

function groupRuns<Item>(items: readonly Item[], toolOf: (item: Item) => string): ToolRun<Item>[] {
  const found: ToolRun<Item>[] = [];
  for (const item of items) {
    const last = found.at(-1);
    if (last?.tool === toolOf(item)) last.items.push(item);
    else found.push({ tool: toolOf(item), items: [item] });
  }
  return found;
}

function byTool(all: readonly ToolRun<WantedCall>[]): ToolRun<WantedCall>[] {
  const tools = [...new Set(all.map(({ tool }) => tool))];
  return tools.map((tool) => ({ tool, items: all.flatMap((one) => (one.tool === tool ? one.items : [])) }));
}

function sequence(all: readonly ToolRun<unknown>[]): string {
  return all.map(({ tool }) => tool).join(", then ");
}

function countBreach(tool: string, wanted: readonly WantedCall[], count: number): Breach[] {
  const min = sum(wanted.map(atLeast));
  const max = sum(wanted.map(atMost));
  if (count >= min && count <= max) return [];
  const bounds = min === max ? `${min}` : max === Infinity ? `at least ${min}` : `${min} to ${max}`;
  const calls = `${bounds} call${bounds === "1" ? "" : "s"}`;
  return [
    { rule: "call_count", message: `${tool}: expected ${calls}, was called ${count} time${count === 1 ? "" : "s"}` },
  ];
}

/** Assigns calls to entries in order. Each entry gets as many as it accepts, and leaves the minimum of the later ones. */
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
