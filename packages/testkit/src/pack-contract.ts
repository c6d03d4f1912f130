import { join } from "node:path";
import { listedTools, listTool, type Tool } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { cancellationProblems, slowCallProblems, type SlowCall } from "./behaviour/cancellation.ts";
import { invalidArgumentProblems } from "./behaviour/invalid-arguments.ts";
import { leakProblems } from "./behaviour/leaks.ts";
import { readOnlyProblems } from "./behaviour/read-only.ts";
import { listProblems, resultProblems } from "./behaviour/results.ts";
import { fingerprintProblems, untouchedProblems } from "./behaviour/untouched.ts";
import type { PackConnection } from "./connection.ts";
import { fuzzPack } from "./fuzz/fuzz-pack.ts";
import { connectPack, hosts, type Host } from "./hosts.ts";
import { withPack, type CreatePack } from "./pack-under-test.ts";
import { exampleCalls, type ExampleCalls } from "./rules/examples.ts";
import { packProblems } from "./rules/pack-problems.ts";

export interface PackContractOptions {
  /** Valid arguments by tool name. They replace the examples that the tool declares. */
  readonly examples?: ExampleCalls;
  /** A slow call, to test cancellation while it runs. Without it, only early cancellation is tested. */
  readonly slow?: SlowCall;
  /** Folder of the tools' snapshots, relative to the test file. Default `../snapshots`. */
  readonly snapshots?: string;
  /** The prefixes of the tool names, if the pack has several. Default: any single prefix. */
  readonly prefixes?: readonly string[];
  /** Fuzzed calls per tool. Default 200. */
  readonly fuzzRuns?: number;
}

/** Time of each test, in ms: Vitest's 5 s are little for hundreds of calls on a busy machine. */
const timeout = 60_000;

/** A fixed seed, so that a result changes only if the pack changes. Use `fuzzPack` for other seeds. */
const contractSeed = 1;

/**
 * Registers the tests that every pack must pass. Call it at the top of a test file.
 *
 * @example packContract(() => notes());
 */
export function packContract(create: CreatePack, options: PackContractOptions = {}): void {
  const { examples = {}, slow, snapshots = "../snapshots", prefixes = [], fuzzRuns = 200 } = options;

  describe("the pack", { timeout }, async () => {
    const tools = await toolsOf(create);

    test("follows the rules of names, descriptions, schemas, budget and examples", async () => {
      expect(await withPack(create, ({ pack }) => packProblems(pack, examples, prefixes))).toEqual([]);
    });

    test.each(tools.map(({ name }) => name))("lists %s as committed", async (name) => {
      const tool = tools.find((each) => each.name === name);
      const listed = tool && listTool(tool, "both");
      await expect(`${JSON.stringify(listed, undefined, 2)}\n`).toMatchFileSnapshot(join(snapshots, `${name}.json`));
    });

    test("changes nothing in tools with mutates: false", async () => {
      expect(await fingerprintProblems(create)).toEqual([]);
      expect(await untouchedProblems(create, examples)).toEqual([]);
    });

    test("stops when a call is cancelled", async () => {
      expect(await cancellationProblems(create, examples)).toEqual([]);
    });

    test("reveals nothing about a bug", async () => {
      expect(await leakProblems(create, examples)).toEqual([]);
    });

    test(`answers ${fuzzRuns} fuzzed calls per tool with a result or a known error`, async () => {
      expect(await fuzzPack(create, { runs: fuzzRuns, seed: contractSeed, examples })).toEqual([]);
    });
  });

  describe.each(hosts)("the pack over %s", { timeout }, (host) => {
    wireContract(create, host, { examples, slow });
  });
}

interface WireContract {
  readonly examples: ExampleCalls;
  readonly slow: SlowCall | undefined;
}

function wireContract(create: CreatePack, host: Host, { examples, slow }: WireContract): void {
  test("is listed as defined", async () => {
    const problems = await onWire(create, host, listProblems);
    expect(problems).toEqual([]);
  });

  test("answers each example with a result that matches the output schema", async () => {
    const problems: string[] = [];
    for (const tool of await toolsOf(create)) {
      for (const args of exampleCalls(tool, examples)) {
        problems.push(...(await onWire(create, host, (connection) => resultProblems(connection, tool, args))));
      }
    }
    expect(problems).toEqual([]);
  });

  test("answers unknown fields, wrong types and missing fields with invalid_input that names the field", async () => {
    const problems = await onWire(create, host, async (connection, tools) => {
      const found: string[] = [];
      for (const tool of tools) {
        const args = exampleCalls(tool, examples)[0] ?? {};
        found.push(...(await invalidArgumentProblems(connection, tool, args)));
      }
      return found;
    });
    expect(problems).toEqual([]);
  });

  test("refuses mutating tools on a read-only server", async () => {
    expect(await withPack(create, ({ pack }) => readOnlyProblems(pack, host))).toEqual([]);
  });

  if (slow !== undefined) {
    test("stops a running call that the client cancels", async () => {
      expect(await slowCallProblems(create, slow, host)).toEqual([]);
    });
  }
}

function toolsOf(create: CreatePack): Promise<readonly Tool[]> {
  return withPack(create, ({ pack }) => listedTools(pack));
}

type WireCheck = (connection: PackConnection, tools: readonly Tool[]) => Promise<readonly string[]>;

function onWire(create: CreatePack, host: Host, check: WireCheck): Promise<readonly string[]> {
  return withPack(create, async ({ pack }) => {
    const connection = await connectPack(pack, host);
    try {
      // After a list, the client validates structured content with the listed output schemas.
      await connection.listTools();
      return await check(connection, await listedTools(pack));
    } finally {
      await connection.close();
    }
  });
}
