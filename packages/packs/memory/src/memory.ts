import { definePack, isObject, storeSchema } from "@toolpacks/core";
import type { TextComparer, TextComparerOptions } from "@toolpacks/meaning";
import { z } from "zod";
import { episode, episodePart } from "./episodes/episode.ts";
import { entity } from "./knowledge/entity.ts";
import { observation } from "./knowledge/observation.ts";
import { relation } from "./knowledge/relation.ts";
import { state } from "./states/state.ts";
import type { Traces } from "./traces/create-traces.ts";
import { trace } from "./traces/trace.ts";
import { workspace } from "./workspaces/workspace.ts";

/** The memory pack: knowledge with its history, workspaces, session states, and traces of calls. */
export const memory = definePack({
  name: "memory",
  description: "Knowledge that lasts, workspaces, session states, and traces of past calls.",
  budget: 1_160,
  kinds: [entity, observation, relation, workspace, state, trace, episode, episodePart],
  options: z.strictObject({
    store: storeSchema.describe("where everything is kept"),
    traces: z.custom<Traces>(isObject, "expected what createTraces made").optional().describe("of the calls around it"),
    meaning: z
      .custom<TextComparerOptions>(isObject, "expected an object")
      .optional()
      .describe("how meanings are compared; default by the word vectors of @toolpacks/meaning"),
  }),
  tools: async ({ store, traces, meaning }) =>
    (await import("./tools.ts")).createTools({ store, traces, compare: lazyComparer(meaning) }),
});

/** A comparer that is loaded at the first comparison. */
function lazyComparer(options: TextComparerOptions | undefined): TextComparer {
  let loading: Promise<TextComparer> | undefined;
  return async (sentences, texts) => {
    loading ??= import("@toolpacks/meaning").then(({ createTextComparer }) => createTextComparer(options));
    return (await loading)(sentences, texts);
  };
}
