import { isDeepStrictEqual } from "node:util";
import { listedTools } from "@toolpacks/core";
import { exampleCalls, type ExampleCalls } from "../rules/examples.ts";
import { fuzzTool } from "../fuzz/fuzz-pack.ts";
import { withPack, type CreatePack } from "../pack-under-test.ts";
import { silentDispatcher } from "./silent-dispatch.ts";

const fuzzRuns = 50;

/** Checks that calls of tools that do not mutate do not change the fingerprint. Calls use the examples and fuzzed arguments. */
export async function untouchedProblems(create: CreatePack, examples: ExampleCalls): Promise<readonly string[]> {
  const problems: string[] = [];
  const tools = await withPack(create, ({ pack }) => listedTools(pack));
  for (const { name } of tools.filter((tool) => !tool.mutates)) {
    const touched = await withPack(create, async ({ pack, fingerprint }) => {
      if (fingerprint === undefined) return false;
      const tool = (await listedTools(pack)).find((each) => each.name === name);
      if (tool === undefined) return false;
      const calls = exampleCalls(tool, examples);
      const before = await fingerprint();
      const dispatcher = silentDispatcher(pack);
      for (const args of calls) await dispatcher.dispatch({ name, args });
      await fuzzTool(dispatcher, tool, { runs: fuzzRuns, examples: calls });
      return !isDeepStrictEqual(await fingerprint(), before);
    });
    if (touched) problems.push(`${name}: mutates is false, but a call changed something`);
  }
  return problems;
}

/** Checks that a pack with mutating tools has a fingerprint, so that the other tools can be tested. */
export function fingerprintProblems(create: CreatePack): Promise<readonly string[]> {
  return withPack(create, async ({ pack, fingerprint }) => {
    const mutating = (await listedTools(pack)).filter((tool) => tool.mutates);
    if (mutating.length === 0 || fingerprint !== undefined) return [];
    return [`pack ${pack.name}: give a fingerprint of what ${mutating.map(({ name }) => name).join(", ")} can change`];
  });
}
