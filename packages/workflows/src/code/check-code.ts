import { isObject, nearest, ToolError, type CatalogEntry, type Tool, type ToolAccess } from "@toolpacks/core";
import { runningTools } from "../definition/own-tool.ts";
import { fieldsOf } from "../definition/shorthand.ts";
import type { Step } from "../definition/workflow.ts";
import { readOnlyRun } from "../engine/perform-call.ts";
import type { CodeUse, ParsedCode } from "./protocol.ts";
import { withSandbox } from "./sandbox.ts";

/** What a script may call. */
interface Check {
  readonly access: Pick<ToolAccess, "resolve" | "entries">;
  readonly readOnly: boolean;
}

/** Time in ms in which a script is parsed. */
const maxParseMs = 2_000;
/** Maximum number of problems in an error. */
const maxProblems = 20;

/**
 * Checks the scripts of steps before anything runs.
 *
 * @throws ToolError `invalid_input` with each problem: its line, and what would be right; `denied` for a tool that changes anything in a run that only reads
 */
export async function checkScripts(steps: readonly Step[], check: Check): Promise<void> {
  for (const step of steps) {
    if (step.kind === "tool" && check.readOnly) {
      const found = await check.access.resolve(step.tool);
      if ("tool" in found && found.tool.mutates) throw readOnlyRun(found.tool.name);
    }
    if (step.kind !== "code") continue;
    const problems = (await codeProblems(step.code, check)).slice(0, maxProblems);
    if (problems.length > 0) throw new ToolError("invalid_input", [`${step.id}: nothing ran.`, ...problems].join("\n"));
  }
}

/** What is wrong with a script: one sentence for each problem, beginning with its line. */
export async function codeProblems(code: string, check: Check): Promise<readonly string[]> {
  const problems = new Set<string>();
  const parsed = await withSandbox((thread) => thread.ask<ParsedCode>({ kind: "parse", code }, maxParseMs));
  for (const found of parsed) {
    const message = "message" in found ? found.message : await useProblem(found, check);
    if (message !== undefined) problems.add(`line ${found.line}: ${message}`);
  }
  return [...problems];
}

async function useProblem({ path, args }: CodeUse, { access, readOnly }: Check): Promise<string | undefined> {
  const found = await findTool(access, path);
  if ("failure" in found) {
    const { code, message, hint = "" } = found.failure;
    if (code !== "not_found") return `${message}. ${hint}`;
    const entries = await access.entries();
    // A pack of which a tool is used later.
    if (args === undefined && path.length === 1 && entries.some(({ facet }) => facet === path[0])) return undefined;
    const names = new Map(entries.flatMap((entry) => namesOf(entry).map((name) => [name, entry.tool])));
    const near = names.get(nearest(path.join("_"), names.keys())[0] ?? "");
    return near === undefined ? message : `${message}; did you mean ${signatureOf(near)}?`;
  }
  const { tool } = found;
  if (runningTools.test(tool.name)) return `a script may not call ${tool.name}`;
  if (readOnly && tool.mutates) return readOnlyRun(tool.name).message;
  if (args === undefined) return undefined;
  if (!isObject(args.value)) return `${tool.name} takes one object: ${signatureOf(tool)}`;
  const checked = await tool.input.check(args.value, args.pending);
  return checked.ok ? undefined : `${tool.name}: ${checked.message}; it is ${signatureOf(tool)}`;
}

/** Finds a tool by the way that leads to it in `tools`: `["issue_ready"]`, or with its pack, `["issues", "ready"]`. */
export async function findTool(access: Check["access"], path: readonly string[]): ReturnType<ToolAccess["resolve"]> {
  const name = path.join("_");
  const found = await access.resolve(name);
  if (path.length === 1 || !("failure" in found)) return found;
  return (await access.entries()).find((entry) => namesOf(entry).includes(name)) ?? found;
}

/** The names of a tool in scripts: its own, and those after its pack: `issues_ready` of `issue_ready`. */
function namesOf({ tool: { name }, facet }: CatalogEntry): readonly string[] {
  return [`${facet}_${name.replace(/^[^_]*_/, "")}`, `${facet}_${name}`, name];
}

/** `tools.fs_read({path: string, startLine?: integer})` */
function signatureOf({ name, input }: Tool): string {
  const fields = fieldsOf(input.json()).map(({ name: field, schema, required }) => {
    const type = typeof schema["type"] === "string" ? `: ${schema["type"]}` : "";
    return `${field}${required ? "" : "?"}${type}`;
  });
  return `tools.${name}({${fields.join(", ")}})`;
}
