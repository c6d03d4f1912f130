// `node killed-script.fixture.ts <store> <log> <kill at> <when>`: runs a script of ten calls in a process that kills itself at one of them, before or after
// its effect.
import { appendFileSync } from "node:fs";
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

/** Ten calls: three at once, and reads between writes. */
const code = `const seen = [];
await tools.log_write({ line: "1" });
seen.push((await tools.log_read({ line: "2" })).line);
await Promise.all(["3", "4", "5"].map((line) => tools.log_write({ line })));
for (const line of ["6", "7"]) seen.push((await tools.log_write({ line }))?.line);
seen.push((await tools.log_read({ line: "8" })).line, Math.random(), Date.now());
await tools.log_write({ line: "9" });
await tools.log_write({ line: "10" });
return seen.length;`;

/** The lines of its calls, and those of its writes. */
export const everyCall = Array.from({ length: 10 }, (_, at) => String(at + 1));
export const everyWrite = everyCall.filter((line) => line !== "2" && line !== "8");

/** When the process kills itself: before or after the effect of the call. */
export const whens = ["before", "after"] as const;
type When = (typeof whens)[number];

/** Calls the tools of a pack that writes lines to the file, and of the workflows pack. */
export function scriptDispatcher(
  store: OwnedStore,
  file: string,
  kill?: { readonly at: string; readonly when: When },
): Dispatcher {
  const input = z.object({ line: z.string() });
  const tool = (mutates: boolean) =>
    defineTool({
      name: mutates ? "log_write" : "log_read",
      description: "Log a line.",
      mutates,
      input,
      output: input,
      handler: ({ line }) => {
        const isKilled = line === kill?.at;
        if (isKilled && kill?.when === "before") process.kill(process.pid, "SIGKILL");
        if (mutates) appendFileSync(file, `${line}\n`);
        if (isKilled) process.kill(process.pid, "SIGKILL");
        return { line };
      },
    });
  const log = definePack({
    name: "log",
    description: "Writes lines.",
    budget: 200,
    tools: () => [tool(true), tool(false)],
  });
  return createDispatcher(createCatalog({ packs: [log(), workflows({ store, definitions: { ten: { code } } })] }));
}

const [, script = "", store = "", log = "", at = "", when = "before"] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  const opened = store.startsWith("postgres:") ? postgres(store) : sqlite(store);
  const dispatcher = scriptDispatcher(opened, log, { at, when: when as When });
  console.log(JSON.stringify(await dispatcher.dispatch({ name: "workflow_run", args: { name: "ten" } })));
  await opened.end();
}
