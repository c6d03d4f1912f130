import { nearest, ToolError } from "@toolpacks/core";
import { everyStep, type Step, type Workflow } from "./workflow.ts";
import type { WorkflowSource } from "./workflow-source.ts";

/** The configured workflows. Each is compiled once, at its first use. */
export interface Library {
  readonly sources: Readonly<Record<string, WorkflowSource>>;
  /** @throws ToolError `not_found` that names the existing workflows */
  find: (name: string) => Promise<Workflow>;
  /**
   * Checks the expressions and references of these workflows, and that none calls itself.
   *
   * @throws ToolError `invalid_input` naming the place: `workflows.audit.steps[1].params: …`
   */
  check: (names: readonly string[]) => Promise<void>;
}

/** @param sources as `workflowSources` of `@toolpacks/workflows/definition` parses them */
export function createLibrary(sources: Readonly<Record<string, WorkflowSource>>): Library {
  const compiled = new Map<string, Promise<Workflow>>();
  const find = async (name: string): Promise<Workflow> => {
    const source = Object.hasOwn(sources, name) ? sources[name] : undefined;
    if (source === undefined) throw unknownWorkflow(name, Object.keys(sources));
    const compile = async () =>
      (await import("./compile-workflow.ts")).compileWorkflow(name, source, { at: `workflows.${name}` });
    const workflow = compiled.get(name) ?? compile();
    compiled.set(name, workflow);
    return workflow;
  };
  return {
    sources,
    find,
    async check(names) {
      for (const name of names) await checkCalls(await find(name), { find, way: [name] });
    },
  };
}

/** All steps, and those of the workflows that they run. */
export async function everyStepRun(steps: readonly Step[], { find }: Pick<Library, "find">): Promise<readonly Step[]> {
  const found = [...everyStep(steps)];
  const names = new Set<string>();
  // The list grows.
  for (const step of found) {
    if (step.kind !== "workflow" || names.has(step.workflow)) continue;
    names.add(step.workflow);
    found.push(...everyStep((await find(step.workflow)).steps));
  }
  return found;
}

interface Way {
  readonly find: Library["find"];
  /** The chain of callers. */
  readonly way: readonly string[];
  /** Workflows that are checked. */
  readonly followed?: Set<string>;
}

/**
 * Checks that every called workflow exists, and that no workflow calls itself.
 *
 * @throws ToolError `invalid_input`
 */
export async function checkCalls(workflow: Workflow, { find, way, followed = new Set() }: Way): Promise<void> {
  for (const step of everyStep(workflow.steps)) {
    if (step.kind !== "workflow") continue;
    const at = `workflows.${way.at(-1)}: step ${step.id}`;
    const next = [...way, step.workflow];
    if (way.includes(step.workflow))
      throw new ToolError("invalid_input", `${at}: a workflow may not lead back to itself: ${next.join(" → ")}`);
    if (followed.has(step.workflow)) continue;
    const called = await find(step.workflow).catch((error: unknown) => {
      throw ToolError.is(error) ? new ToolError("invalid_input", `${at}: ${error.message}`, error.hint) : error;
    });
    await checkCalls(called, { find, way: next, followed });
    followed.add(step.workflow);
  }
}

function unknownWorkflow(name: string, known: readonly string[]): ToolError {
  const near = nearest(name, known)[0];
  return new ToolError(
    "not_found",
    `there is no workflow ${JSON.stringify(name.slice(0, 64))}${near === undefined ? "" : `, did you mean ${near}?`}`,
    `Workflows: ${known.join(", ") || "none is configured"}.`,
  );
}
