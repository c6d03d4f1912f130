import { foreignSchema, isObject, type CatalogEntry, type Failure, type ToolAccess } from "@toolpacks/core";
import type { Template } from "@toolpacks/expressions";
import { objectSchema } from "../definition/shorthand.ts";
import type { StepOf, StepPolicy } from "../definition/workflow.ts";
import { accessOf, type Run } from "../engine/run.ts";
import type { CodeRequest } from "./protocol.ts";

/** A call of a script as a step, and the JSON of its arguments. */
export type CallStep = (StepOf<"tool"> | StepOf<"ask">) & { readonly json: string };

/** Timeout of a call in ms. */
const callTimeout = 300_000;

function policy(id: number | string): StepPolicy {
  const none = { when: undefined, onError: undefined, show: undefined, isUsed: () => true };
  return { id: String(id), attempts: 1, backoff: 0, timeout: callTimeout, fallback: [], references: [], ...none };
}

function constant(source: unknown): Template {
  return { source, references: [], resolve: async () => source };
}

/** The call of a tool, or the opening of a handle by the tool that reads handles. */
export async function toolStep(run: Run, { id, kind, json }: CodeRequest): Promise<CallStep> {
  const given = JSON.parse(json) as readonly unknown[];
  const [path, args] = kind === "open" ? [["relay_read"], { handle: given[0], mode: "whole" }] : given;
  const names = path as readonly string[];
  const found = await findTool(accessOf(run.caller), names);
  const tool = "failure" in found ? names.join("_") : found.tool.name;
  return { ...policy(id), kind: "tool", tool, params: constant(args), json: JSON.stringify(args) };
}

/** The question of a script. @param json `[question, {choices, schema, deadline}]` */
export function askStep({ id, json }: { readonly id: number | string; readonly json: string }): CallStep {
  const [question, given] = JSON.parse(json) as readonly unknown[];
  const { choices, schema, deadline } = isObject(given) ? given : {};
  return {
    ...policy(id),
    kind: "ask",
    question: constant(question),
    choices: choices === undefined ? undefined : constant(choices),
    schema: isObject(schema) ? foreignSchema(objectSchema(schema, "schema")) : undefined,
    deadline: deadline === undefined ? undefined : constant(deadline),
    json,
  };
}

/** Finds a tool by its name, or by its pack and its name with or without its prefix: `["issues", "ready"]` is `issue_ready`. */
export async function findTool(
  access: Pick<ToolAccess, "resolve" | "entries">,
  path: readonly string[],
): Promise<CatalogEntry | { readonly failure: Failure }> {
  const found = await access.resolve(path.join("_"));
  const [pack, name] = path;
  if (!("failure" in found) || name === undefined) return found;
  const ofPack = (await access.entries()).filter(({ facet }) => facet === pack);
  return ofPack.find(({ tool }) => tool.name === name || tool.name.replace(/^[^_]*_/, "") === name) ?? found;
}
