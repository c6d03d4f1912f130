import { inspect } from "node:util";
import { listedTools, errorCodes, errorText, withTimeout, type Outcome, type Tool } from "@toolpacks/core";
import * as fc from "fast-check";
import { failureLeaks } from "../behaviour/leaks.ts";
import { silentDispatcher, type SilentDispatcher } from "../behaviour/silent-dispatch.ts";
import { withPack, type CreatePack } from "../pack-under-test.ts";
import { exampleCalls, type ExampleCalls } from "../rules/examples.ts";
import { fuzzedArguments } from "./arguments.ts";

export interface FuzzOptions {
  /** Calls per tool. Default 200. */
  readonly runs?: number;
  /** The seed, to repeat an earlier run. A problem names its seed. Default: random. */
  readonly seed?: number;
  /** Valid calls by tool name, from which invalid ones are generated. Default: the examples of the tools. */
  readonly examples?: ExampleCalls;
}

const callTimeoutMs = 20_000;

/** Number of calls before a new pack is created, so that data which fuzzing deletes early exists again. */
const callsPerPack = 250;

/**
 * Calls every tool with generated arguments, through dispatch. A new pack is created every 250 calls. Each call must end before the timeout in a
 * result or a failure with a known code other than `internal`, and reveal no internals.
 *
 * @returns one problem per failed tool, with the smallest arguments that cause it
 */
export async function fuzzPack(create: CreatePack, options: FuzzOptions = {}): Promise<readonly string[]> {
  const { runs = 200, seed = Math.trunc(Math.random() * 2 ** 31), examples = {} } = options;
  const problems: string[] = [];
  for (const { name } of await withPack(create, ({ pack }) => listedTools(pack))) {
    for (let done = 0; done < runs; done += callsPerPack) {
      const found = await withPack(create, async ({ pack }) => {
        const tool = (await listedTools(pack)).find((each) => each.name === name);
        if (tool === undefined) return [`${name}: not in every pack that was created`];
        const size = Math.min(callsPerPack, runs - done);
        return fuzzTool(silentDispatcher(pack), tool, {
          runs: size,
          seed: seed + done,
          examples: exampleCalls(tool, examples),
        });
      });
      problems.push(...found);
      if (found.length > 0) break;
    }
  }
  return problems;
}

interface FuzzToolOptions extends Omit<FuzzOptions, "examples"> {
  readonly examples: readonly Readonly<Record<string, unknown>>[];
}

/** Fuzzes one tool. */
export async function fuzzTool(
  dispatcher: SilentDispatcher,
  tool: Tool,
  { runs = 200, seed, examples }: FuzzToolOptions,
): Promise<readonly string[]> {
  const property = fc.asyncProperty(fuzzedArguments(tool.input.json(), examples), async (args) => {
    const known = dispatcher.bugs.length;
    const outcome = await withTimeout(dispatcher.dispatch({ name: tool.name, args }), {
      ms: callTimeoutMs,
      onTimeout: () => undefined,
    });
    const problem = outcomeProblem(outcome, dispatcher.bugs.slice(known));
    if (problem !== undefined) throw new Error(problem);
  });
  const found = await fc.check(property, { numRuns: runs, seed });
  if (!found.failed) return [];
  const reason = errorText(found.errorInstance);
  const args = inspect(found.counterexample?.[0], { depth: 6, maxStringLength: 200, maxArrayLength: 8, compact: true });
  return [`${tool.name} ${args.slice(0, 600)}: ${reason} (seed ${found.seed})`];
}

function outcomeProblem(outcome: Outcome | undefined, bugs: readonly unknown[]): string | undefined {
  if (Object.hasOwn(Object.prototype, "polluted")) return "Object.prototype was changed";
  if (outcome === undefined) return `no answer in ${callTimeoutMs} ms`;
  if (outcome.ok) return undefined;
  const { code } = outcome.failure;
  if (code === "internal") return `internal: ${bugs.map(describeBug).join("; ")}`;
  if (!errorCodes.includes(code)) return `an unknown code: ${JSON.stringify(outcome.failure)}`;
  return failureLeaks(outcome.failure)[0];
}

function describeBug(bug: unknown): string {
  return bug instanceof Error ? (bug.stack ?? bug.message) : String(bug);
}
