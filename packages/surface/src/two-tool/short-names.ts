import type { Interceptor, Outcome } from "@toolpacks/core";
import type { PackTools } from "./pack-tools.ts";

/** Names of tools have underscores. A name in quotation marks is a value, such as the tool of a workflow's step. */
const toolNames = /(?<![\w"'`/.-])[A-Za-z][\w-]*_[\w-]*(?!["'`/])/g;

/** The tools of the discovery surface, which texts of packs name. */
const discoveryTools = [
  ["tool_search", "getTools"],
  ["tool_describe", "getTools"],
  ["tool_read", "useTools"],
  ["tool_invoke", "useTools"],
] as const;

/** How texts of the store's tools say where the kinds are explained. */
const kindPhrases = /tool_describe(?: with store_put| \{kind\})/g;

/** Replaces each tool's own name in a text by the way it is called here: `memory: remember` for `memory_remember`. */
export type ShortenNames = (text: string) => string;

export function shortenNames(packs: readonly PackTools[]): ShortenNames {
  const shown = new Map<string, string>(discoveryTools);
  for (const { pack, byShortName } of packs)
    for (const [short, { tool }] of byShortName) shown.set(tool.name, `${pack}: ${short}`);
  return (text) =>
    text
      .replaceAll(kindPhrases, 'getTools {pack: "kinds"}')
      .replaceAll(toolNames, (name, at: number, whole: string) => {
        const called = shown.get(name);
        if (called === undefined) return name;
        // A text that is shortened twice, as that of a call which another tool makes, has the pack already.
        const isShort = called.endsWith(name) && whole.slice(0, at + name.length).endsWith(called);
        return isShort ? name : called;
      });
}

/**
 * Shortens the names of tools in the failures, notices and hints of our own packs' calls. The other text of a result is data, and another server's
 * texts are its own.
 */
export function shortNameHints(packs: () => Promise<readonly PackTools[]>): Interceptor {
  let loaded: Promise<{ readonly own: ReadonlySet<string>; readonly shorten: ShortenNames }> | undefined;
  const load = async () => {
    const all = await packs();
    return {
      own: new Set(all.flatMap(({ pack, isRemote }) => (isRemote ? [] : [pack]))),
      shorten: shortenNames(all),
    };
  };
  return async (call, next) => {
    const outcome = await next(call);
    const { own, shorten } = await (loaded ??= load());
    return own.has(call.facet) ? shortened(outcome, shorten) : outcome;
  };
}

function shortened(outcome: Outcome, shorten: ShortenNames): Outcome {
  if (!outcome.ok) {
    const { message, hint, ...rest } = outcome.failure;
    const failure = { ...rest, message: shorten(message), ...(hint !== undefined && { hint: shorten(hint) }) };
    return { ...outcome, failure };
  }
  const { notice, value, text } = outcome;
  const hint = value?.["hint"];
  const at = typeof hint === "string" && hint !== "" ? text.lastIndexOf(hint) : -1;
  return {
    ...outcome,
    ...(notice !== undefined && { notice: shorten(notice) }),
    ...(typeof hint === "string" &&
      at >= 0 && {
        text: `${text.slice(0, at)}${shorten(hint)}${text.slice(at + hint.length)}`,
        value: { ...value, hint: shorten(hint) },
      }),
  };
}
