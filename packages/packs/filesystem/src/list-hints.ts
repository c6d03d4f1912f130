import { quoteName } from "@toolpacks/core";
import type { ListOptions } from "./list-schema.ts";

/** Maximum number of entries of a walk. Beyond it, the total is a lower bound, and the hint says so. */
export const maxWalked = 100_000;

interface Ending {
  /** Number of entries that the walk visited. */
  readonly walked: number;
  readonly compacted: boolean;
}

/** The last fields of a page: whether it was compacted, and how to see what is not shown. */
export function listEnding(
  { cut, isTimedOut, unsearched, timeoutMs }: ListOptions,
  { walked, compacted }: Ending,
): { readonly compacted?: true; readonly hint?: string } {
  const depth = unsearched();
  const stopped = walked > maxWalked ? `${maxWalked} entries` : isTimedOut() ? `${timeoutMs / 1000} s` : undefined;
  const hints = [
    ...(stopped === undefined ? [] : [`Stopped after ${stopped}; the total is a lower bound. Give a deeper path.`]),
    ...(depth === undefined
      ? []
      : [
          `Only ${depth} ${depth === 1 ? "level was" : "levels were"} searched, and there are more. Give a deeper path.`,
        ]),
    ...cut.slice(0, 3).map((file) => `${quoteName(file)} is too large; only a part of its rules was used.`),
    ...(compacted ? ["Give limit to see more at once."] : []),
  ];
  return { ...(compacted && { compacted }), ...(hints.length > 0 && { hint: hints.join(" ") }) };
}
