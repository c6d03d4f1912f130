import type { Mounting } from "./mounting.ts";

/** Debounce time of changes, in ms. Several servers that start at once cause one update. */
const debounceMs = 200;

/** Watches the lists of the other servers that a mounting has opened, and the prompts of its packs. Returns a function that stops it. */
export function watchLists({ remotes, packs }: Mounting, onChange: () => void): () => void {
  let timer: NodeJS.Timeout | undefined;
  const changed = () => {
    clearTimeout(timer);
    timer = setTimeout(onChange, debounceMs);
  };
  const stops = [
    ...remotes.map(({ remote }) => remote.watch(changed)),
    ...packs.flatMap(({ promptSource }) => promptSource?.watch(changed) ?? []),
  ];
  return () => {
    clearTimeout(timer);
    for (const stop of stops) stop();
  };
}
