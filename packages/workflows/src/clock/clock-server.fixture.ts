// `node clock-server.fixture.ts <store> <log>`: a server whose clock starts and wakes runs. Of the lines of stdin, it answers the report of
// `answer <id>`, and closes the issue of `close <id>`.
import { appendFileSync } from "node:fs";
import { createInterface } from "node:readline";
import { pathToFileURL } from "node:url";
import {
  createCatalog,
  createDispatcher,
  definePack,
  defineTool,
  type Dispatcher,
  type OwnedStore,
  defineKind,
} from "@toolpacks/core";
import { issues } from "@toolpacks/issues";
import { postgres } from "@toolpacks/store-postgres";
import { sqlite } from "@toolpacks/store-sqlite";
import { z } from "zod";
import { workflowSources } from "../definition/workflow-source.ts";
import { workflows } from "../workflows.ts";
import { startClock, type Clock } from "./clock.ts";

/** A record whose creation starts a run. */
export const jobKind = defineKind({ name: "job", schema: z.object({ name: z.string() }), indexes: ["name"] });

/** What a run has done. A second effect of the same step would be a second record. */
export const effectKind = defineKind({
  name: "effect",
  schema: z.object({ job: z.string(), step: z.string() }),
  indexes: ["job", "step"],
});

/** A run between whose steps there are a question, which is a gate, a time, and an issue. */
export const jobDefinitions = {
  work: {
    on: [{ kind: "job", filter: { name: "work" } }],
    steps: [
      { tool: "effect_do", params: { job: "${input.event.id}", step: "first" } },
      { id: "go", ask: "Go on with ${input.event.id}?", choices: ["yes", "no"] },
      {
        parallel: ["left", "right"].map((step) => ({ tool: "effect_do", params: { job: "${input.event.id}", step } })),
      },
      { id: "pause", wait: { for: "0.5s" } },
      { tool: "effect_do", params: { job: "${input.event.id}", step: "timed", due: "${steps.pause.until}" } },
      { issue: { title: "Check ${input.event.id}" } },
      { tool: "effect_do", params: { job: "${input.event.id}", step: "last" } },
    ],
  },
};

/** The steps of a run with an effect. */
export const effects = ["first", "last", "left", "right", "timed"];

interface ClockServer {
  readonly dispatcher: Dispatcher;
  readonly clock: Clock | undefined;
}

/** @param log a file that gets a line for each call of `effect_do`: the milliseconds since the call was due, or `-` */
export function clockServer(store: OwnedStore, log: string, hasClock = true): ClockServer {
  const input = z.object({ job: z.string(), step: z.string(), due: z.string().optional() });
  const pack = definePack({
    name: "effects",
    description: "Leaves a record.",
    budget: 200,
    kinds: [jobKind, effectKind],
    tools: () => [
      defineTool({
        name: "effect_do",
        description: "Do it.",
        mutates: true,
        input,
        output: z.object({}),
        handler: async ({ job, step, due }, { operation }) => {
          await store.put(effectKind, { job, step }, { ...(operation !== undefined && { operationId: operation }) });
          appendFileSync(log, `${due === undefined ? "-" : Date.now() - Date.parse(due)}\n`);
          return {};
        },
      }),
    ],
  });
  const sources = workflowSources.parse(jobDefinitions);
  const dispatcher = createDispatcher(
    createCatalog({ packs: [pack(), issues({ store }), workflows({ store, definitions: jobDefinitions })] }),
  );
  const call = (principal: string, args: object) =>
    dispatcher.dispatch({ name: "workflow_run", args, context: { principal } });
  const onError = (message: string, cause?: unknown) => console.error(message, cause ?? "");
  return {
    dispatcher,
    clock: hasClock ? startClock({ store, sources, kinds: dispatcher.kinds, call, onError }) : undefined,
  };
}

const [, script = "", address = "", log = ""] = process.argv;
if (import.meta.url === pathToFileURL(script).href) {
  const store = address.startsWith("postgres:") ? postgres(address) : sqlite(address);
  const { dispatcher } = clockServer(store, log);
  console.log("ready");
  for await (const line of createInterface({ input: process.stdin })) {
    const [verb, id] = line.split(" ");
    const answer = { name: "workflow_run", args: { resume: id, answer: "yes" } };
    const close = { name: "issue_close", args: { ids: [id], reason: "yes" } };
    void dispatcher.dispatch(verb === "answer" ? answer : close);
  }
  // The test has ended.
  process.exit(0);
}
