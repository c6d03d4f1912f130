import { foreignSchema, isObject } from "@toolpacks/core";
import type { Template } from "@toolpacks/expressions";
import { objectSchema } from "../definition/shorthand.ts";
import type { StepOf } from "../definition/workflow.ts";
import { accessOf, type Run } from "../engine/run.ts";
import { findTool } from "./find-tool.ts";
import type { CodeRequest } from "./protocol.ts";

/** A call of a script as a step. */
export type CallStep = StepOf<"tool"> | StepOf<"ask">;

const absent = { when: undefined, onError: undefined, show: undefined, fallback: [], references: [] };
const policy = { ...absent, attempts: 1, backoff: 0, timeout: 300_000, isUsed: () => true };

function constant(source: unknown): Template {
  return { source, references: [], resolve: async () => source };
}

/** The step that a script asks for: a call of a tool, the opening of a handle by the tool that reads handles, or a question. */
export async function callStep(run: Run, { id, kind, json }: CodeRequest): Promise<CallStep> {
  const given = JSON.parse(json) as readonly unknown[];
  if (kind === "ask") return askStep(id, given[0], given[1]);
  const [path, args] = kind === "open" ? [["relay_read"], { handle: given[0], mode: "whole" }] : given;
  const names = path as readonly string[];
  const found = await findTool(accessOf(run.caller), names);
  const tool = "failure" in found ? names.join("_") : found.tool.name;
  return { ...policy, id: String(id), kind: "tool", tool, params: constant(args) };
}

/** @param options `{choices, schema, deadline}` */
export function askStep(id: number | string, question: unknown, options: unknown): StepOf<"ask"> {
  const { choices, schema, deadline } = isObject(options) ? options : {};
  return {
    ...policy,
    id: String(id),
    kind: "ask",
    question: constant(question),
    choices: choices === undefined ? undefined : constant(choices),
    schema: isObject(schema) ? foreignSchema(objectSchema(schema, "schema")) : undefined,
    deadline: deadline === undefined ? undefined : constant(deadline),
  };
}
