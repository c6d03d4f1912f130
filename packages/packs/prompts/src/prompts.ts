import { definePack } from "@toolpacks/core";
import { prompt } from "./prompt-kind.ts";

/** The prompts pack: stored prompts. It has no tools. `store_put`, `store_query` and `store_close` work on its kind, and clients list its open records. */
export const prompts = definePack({
  name: "prompts",
  description: "Stored prompts with arguments, as records of the store that clients list as prompts.",
  budget: 1,
  kinds: [prompt],
  needs: ["store"],
  tools: () => [],
  promptSource(_options, { store }) {
    const load = async () => (await import("./stored-prompts.ts")).storedPrompts(store);
    return {
      list: async () => (await load()).list(),
      watch(listener) {
        const watching = load().then((source) => source.watch(listener));
        watching.catch(() => {});
        return () => void watching.then((stop) => stop()).catch(() => {});
      },
    };
  },
});
