import { isObject, nearest, ToolError, type Tool, type ToolAccess } from "@toolpacks/core";
import { runningTools } from "../definition/own-tool.ts";
import { fieldsOf } from "../definition/shorthand.ts";
import { everyStep, type Step } from "../definition/workflow.ts";
import type { Library } from "../definition/library.ts";
import { readOnlyRun } from "../engine/perform-call.ts";
import { findTool } from "./call-steps.ts";
import type { CodeUse } from "./protocol.ts";
import { parseCode } from "./sandbox.ts";

type Access = Pick<ToolAccess, "resolve" | "entries">;

/** Maximum number of problems in an error. */
const maxProblems = 20;

/**
 * Checks the scripts of steps, and of the workflows that they run, before anything runs.
 *
 * @throws ToolError `invalid_input` with each problem: its line, and what would be right
 */
export async function checkScripts(
  steps: readonly Step[],
  check: { readonly library: Library; readonly access: Access; readonly readOnly: boolean },
): Promise<void> {
  for (const step of everyStep(steps)) {
    if (step.kind === "workflow") await checkScripts((await check.library.find(step.workflow)).steps, check);
    if (step.kind === "tool" && check.readOnly) await requireReading(step.tool, check.access);
    if (step.kind !== "code") continue;
    const problems = await codeProblems(step.code, check);
    if (problems.length === 0) continue;
    const shown = problems.slice(0, maxProblems).join("\n");
    const more = problems.length > maxProblems ? `\nand ${problems.length - maxProblems} more` : "";
    throw new ToolError("invalid_input", `${step.id}: nothing ran.\n${shown}${more}`);
  }
}

/** @throws ToolError `denied` for a tool that changes anything */
async function requireReading(name: string, access: Access): Promise<void> {
  const found = await access.resolve(name);
  if ("failure" in found || !found.tool.mutates) return;
  const { code, message, hint } = readOnlyRun(found.tool.name);
  throw new ToolError(code, message, hint);
}

/** What is wrong with a script: one sentence for each problem, beginning with its line. */
export async function codeProblems(
  code: string,
  { access, readOnly }: { readonly access: Access; readonly readOnly: boolean },
): Promise<readonly string[]> {
  const { uses, problems } = await parseCode(code);
  const found = await Promise.all(
    uses.map(async (use) => {
      const problem = await useProblem(use, access, readOnly);
      return problem === undefined ? [] : [`line ${use.line}: ${problem}`];
    }),
  );
  const lineOf = (problem: string) => Number.parseInt(problem.slice("line ".length), 10);
  return [...problems, ...new Set(found.flat())].toSorted((one, other) => lineOf(one) - lineOf(other));
}

async function useProblem({ path, args }: CodeUse, access: Access, readOnly: boolean): Promise<string | undefined> {
  const found = await findTool(access, path);
  if ("failure" in found) {
    const { code, message, hint = "" } = found.failure;
    if (code !== "not_found") return `${message}. ${hint}`;
    const entries = await access.entries();
    // A pack of which a tool is used later.
    if (args === undefined && path.length === 1 && entries.some(({ facet }) => facet === path[0])) return undefined;
    const near = await nearestTool(path, access);
    return `${message}${near === undefined ? "" : `; did you mean ${signatureOf(near)}?`}`;
  }
  const { tool } = found;
  if (runningTools.test(tool.name)) return `a script may not call ${tool.name}`;
  if (readOnly && tool.mutates) return readOnlyRun(tool.name).message;
  if (args === undefined) return undefined;
  if (!isObject(args.value)) return `${tool.name} takes one object: ${signatureOf(tool)}`;
  const checked = await tool.input.check(args.value, args.pending);
  return checked.ok ? undefined : `${tool.name}: ${checked.message}; it is ${signatureOf(tool)}`;
}

/** The tool whose name is nearest, of the pack that is named, or of all. */
async function nearestTool(path: readonly string[], access: Access): Promise<Tool | undefined> {
  const entries = await access.entries();
  const [pack, name] = path;
  const ofPack = entries
    .filter(({ facet }) => facet === pack)
    .map(({ tool }) => [tool.name.replace(/^[^_]*_/, ""), tool] as const);
  const all = entries.map(({ tool }) => [tool.name, tool] as const);
  for (const [wanted, tools] of [
    [name ?? "", ofPack],
    [path.join("_"), all],
  ] as const) {
    const [best] = nearest(
      wanted,
      tools.map(([one]) => one),
    );
    if (best !== undefined) return new Map(tools).get(best);
  }
  return undefined;
}

/** `fs_read({path: string, startLine?: integer})` */
function signatureOf({ name, input }: Tool): string {
  const fields = fieldsOf(input.json()).map(({ name: field, schema, required }) => {
    const type = typeof schema["type"] === "string" ? `: ${schema["type"]}` : "";
    return `${field}${required ? "" : "?"}${type}`;
  });
  return `tools.${name}({${fields.join(", ")}})`;
}
