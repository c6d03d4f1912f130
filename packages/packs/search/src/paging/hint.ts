interface Ended {
  readonly compacted: boolean;
  readonly timedOut: boolean;
  readonly timeoutMs: number;
  /** How many files were not looked into. */
  readonly passedOver?: number;
}

/** What to do where not everything is shown. */
export function hintOf({ compacted, timedOut, timeoutMs, passedOver = 0 }: Ended): { readonly hint?: string } {
  const hints = [
    ...(timedOut
      ? [`Stopped after ${timeoutMs / 1000} s, with files left unsearched. Give a deeper path or globs.`]
      : []),
    ...(passedOver > 0
      ? [`${passedOver} ${passedOver === 1 ? "file was" : "files were"} passed over: larger than 1 MiB, or unreadable.`]
      : []),
    ...(compacted ? ["Give limit to see more at once, or narrow with path or globs."] : []),
  ];
  return hints.length === 0 ? {} : { hint: hints.join(" ") };
}
