import { defineTool, type Tool } from "@toolpacks/core";
import { z } from "zod";
import { stepKindNames, stepKinds, type StepKind } from "../definition/step-kinds.ts";
import { accessOf } from "../engine/run.ts";
import type { Operations } from "../operations.ts";

const type = z.object({
  name: z.string(),
  description: z.string(),
  inline: z.boolean().describe("allowed in steps that come with a call"),
  schema: z.record(z.string(), z.unknown()).describe("of its own keys; of params, for a type that a pack adds"),
});

const output = z.object({
  types: z.array(type),
  every: z.record(z.string(), z.unknown()).describe("the keys that every step may have"),
});

const descriptions: Readonly<Record<StepKind, string>> = {
  tool: "Calls a tool.",
  model: "Asks a model.",
  workflow: "Runs another workflow.",
  parallel: "Runs steps at once; its result has theirs by id.",
  forEach: "Runs steps for each item of a list; its result is a list.",
  ask: "Asks a person, and waits for the answer as long as it takes; its result is {answer}, or an object of the schema.",
  wait: "Waits for a time, a duration, or until an issue is closed.",
  issue: "Makes issues, and waits until all are closed; its result is {issues: [{id, title, reason}]}.",
  code: "Runs a script, whose calls of tools are steps inside it; its result is what the script returns.",
  step: "Runs a step of a type that a pack adds, by its name.",
};

/** `workflow_steps`: lists the kinds of step. */
export function workflowSteps(load: () => Promise<Operations>): Tool {
  return defineTool({
    name: "workflow_steps",
    description: "Explain what a workflow's steps may be, with schemas.",
    keywords: ["step types", "syntax", "expressions", "routine", "write a workflow"],
    aliases: ["routine_steps"],
    examples: [{ args: {} }],
    mutates: false,
    input: z.object({ type: z.string().max(200).optional().describe("only this one") }),
    output,
    text: render,
    handler: async ({ type: wanted }, context) => {
      const { engine } = await load();
      const properties = stepProperties((await import("../definition/step-source.ts")).steps);
      const own = stepKindNames.map((name) => ({
        name,
        description: descriptions[name],
        inline: name === "step" || engine.inline.has(name),
        schema: pick(properties, [name, ...stepKinds[name].required, ...stepKinds[name].optional]),
      }));
      const added = [...(await accessOf(context).stepTypes()).values()].map(({ name, description, params }) => ({
        name,
        description,
        inline: engine.inline.has(name),
        schema: { ...params.json() },
      }));
      const types = [...own, ...added].filter(({ name }) => wanted === undefined || name === wanted);
      return { types, every: pick(properties, ["id", "when", "retry", "timeout", "fallback", "onError", "show"]) };
    },
  });
}

type Properties = Readonly<Record<string, unknown>>;

/** The schema of a step without nested steps. */
function stepProperties(steps: z.ZodType): Properties {
  const json = z.toJSONSchema(steps, { io: "input" }) as {
    $defs?: Record<string, { properties?: Properties }>;
    items?: { properties?: Properties };
  };
  const step =
    json.items?.properties ??
    Object.values(json.$defs ?? {}).find(({ properties }) => properties?.["forEach"])?.properties ??
    {};
  const nested = { type: "array", items: { type: "object", description: "a step" } };
  return { ...step, fallback: nested, parallel: nested, steps: nested };
}

function pick(properties: Properties, names: readonly string[]): Record<string, unknown> {
  return Object.fromEntries(names.map((name) => [name, properties[name] ?? {}]));
}

function render({ types, every }: z.output<typeof output>): string {
  return [
    ...types.map(
      ({ name, description, inline, schema }) =>
        `${name}: ${description}${inline ? "" : " (only in the config file)"} ${JSON.stringify(schema)}`,
    ),
    `every step: ${JSON.stringify(every)}`,
    "${input.x}, ${steps.id.field} and any CEL expression in ${…} stand in texts; one alone keeps its type.",
  ].join("\n");
}
