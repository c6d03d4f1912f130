interface Ended {
  readonly compacted: boolean;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
}

/** What to do where not everything is shown. */
export function hintOf({ compacted, timedOut, timeoutMs }: Ended): { readonly hint?: string } {
  const hints = [
    ...(timedOut
      ? [`Stopped after ${timeoutMs / 1000} s, with files left unsearched. Give a deeper path or globs.`]
      : []),
    ...(compacted ? ["Give limit to see more at once, or narrow with path or globs."] : []),
  ];
  return hints.length === 0 ? {} : { hint: hints.join(" ") };
}
