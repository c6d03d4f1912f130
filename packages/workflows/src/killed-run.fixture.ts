// `node killed-run.fixture.ts <store> <log> <kill at> [<report>]`: runs a workflow in a process that kills itself when it comes to a step, or resumes a
// report and prints the outcome.
import { appendFileSync } from "node:fs";
import { setTimeout as wait } from "node:timers/promises";
import { pathToFileURL } from "node:url";
import {
  createCatalog,
  createDispatcher,
  definePack,
  defineTool,
  type Dispatcher,
  type OwnedStore,
} from "@toolpacks/core";
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { workflows } from "./workflows.ts";

/** Steps of every sort, each of which leaves a line in the log when it runs. */
export const killedDefinitions = {
  killed: {
    steps: [
      { id: "one", tool: "log_write", params: { line: "one" } },
      { id: "two", tool: "log_read", params: { line: "two" } },
      {
        id: "each",
        forEach: ["x", "y"],
        steps: [{ id: "in", tool: "log_write", params: { line: "${steps.one.line}-${item}" } }],
      },
      { id: "both", parallel: [{ id: "four", tool: "log_write", params: { line: "four" } }] },
      { id: "end", tool: "log_write", params: { line: "${steps.two.line} ${steps.each[1].line} ${steps.four.line}" } },
    ],
  },
};

/** The lines in their order. */
export const everyLine = ["one", "two", "one-x", "one-y", "four", "two one-y four"];

/** Calls the tools of a pack that writes lines to the file, and of the workflows pack. */
export function logDispatcher(store: OwnedStore, file: string, killAt?: string): Dispatcher {
  const input = z.object({ line: z.string() });
  const handler = async ({ line }: z.output<typeof input>) => {
    if (line === killAt) {
      // What only reads is written within moments, not at once.
      await wait(100);
      process.kill(process.pid, "SIGKILL");
    }
    appendFileSync(file, `${line}\n`);
    return { line };
  };
  const log = definePack({
    name: "log",
    description: "Writes lines.",
    budget: 200,
    tools: () =>
      [true, false].map((mutates) =>
        defineTool({
          name: mutates ? "log_write" : "log_read",
          description: "Log a line.",
          mutates,
          input,
          output: input,
          handler,
        }),
      ),
  });
  const pack = workflows({ store, definitions: killedDefinitions });
  return createDispatcher(createCatalog({ packs: [log(), pack] }));
}

const [, script = "", store = "", log = "", killAt = "", resume] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  const opened = store.startsWith("postgres:") ? postgres(store) : sqlite(store);
  const dispatcher = logDispatcher(opened, log, killAt);
  const args = resume === undefined ? { name: "killed" } : { resume };
  const outcome = await dispatcher.dispatch({ name: "workflow_run", args });
  console.log(JSON.stringify(outcome));
  await opened.end();
}
