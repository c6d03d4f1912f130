import { setTimeout as sleep } from "node:timers/promises";
import { reply, ToolError, type Tool } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import { connectPack, hosts } from "../hosts.ts";
import { goodPack, packOf, tool, toolTaking } from "../packs.fixture.ts";
import { cancellationProblems, slowCallProblems } from "./cancellation.ts";
import { invalidArgumentProblems, wrongCalls } from "./invalid-arguments.ts";
import { failureLeaks, leakProblems } from "./leaks.ts";
import { readOnlyProblems } from "./read-only.ts";
import { listProblems, resultProblems } from "./results.ts";
import { fingerprintProblems, untouchedProblems } from "./untouched.ts";

const only = (changes: Partial<Tool>) => () => packOf(() => [tool(changes)]);
const run = (handler: Tool["run"]) => only({ run: handler });

describe("leakProblems finds", () => {
  test("nothing in a good pack", async () => {
    expect(await leakProblems(goodPack, {})).toEqual([]);
  });

  test("a handler that turns bugs into ToolErrors", async () => {
    const create = run(async (_input, { progress }) => {
      try {
        await progress(1);
        return { found: true };
      } catch (error) {
        throw new ToolError("unavailable", (error as Error).message);
      }
    });
    expect(await leakProblems(create, {})).toEqual([expect.stringContaining("a bug's message reached the caller")]);
  });

  test("an operating system error's own message in a ToolError", async () => {
    const message = "ENOENT: no such file or directory, open '/home/me/key'";
    const create = run(() => {
      throw new ToolError("not_found", message);
    });
    expect(await leakProblems(create, {})).toEqual([expect.stringContaining("operating system error")]);
  });

  test.each([
    ["a stack", "boom\n    at run (file.ts:1:1)"],
    ["a bug's own message", "Cannot read properties of undefined (reading 'x')"],
    ["a path of the installation", "in /srv/node_modules/zod/index.js"],
    ["an object as text", "no note [object Object]"],
  ])("failureLeaks names %s", (what, message) => {
    expect(failureLeaks({ code: "not_found", message })).toEqual([expect.stringContaining(what)]);
  });
});

describe("cancellationProblems finds", () => {
  test("nothing in a good pack", async () => {
    expect(await cancellationProblems(goodPack, {})).toEqual([]);
  });

  test("a handler that does not stop", async () => {
    const create = run(() => sleep(3_000, { found: true }));
    expect(await cancellationProblems(create, {})).toEqual([
      "box_look: a call cancelled at once answered nothing for 1000 ms",
    ]);
  });
});

describe.each(hosts)("over %s", (host) => {
  test("slowCallProblems finds nothing if the handler stops", async () => {
    expect(await slowCallProblems(goodPack, { tool: "box_wait", args: { item: "lid" } }, host)).toEqual([]);
  });

  test("slowCallProblems finds a call that is not slow, and a call that does not stop", async () => {
    const quick = { tool: "box_look", args: { item: "key" } };
    expect((await slowCallProblems(goodPack, quick, host)).join()).toContain("answered ok before it was cancelled");
    const deaf = run(() => sleep(2_000, { found: true }));
    expect((await slowCallProblems(deaf, quick, host)).join()).toContain("still running 1000 ms after");
  });

  test("invalidArgumentProblems finds nothing in a good pack, and invalid arguments that a tool accepts", async () => {
    const { pack } = goodPack();
    const good = await connectPack(pack, host);
    for (const each of await pack.tools()) {
      const args = each.examples[0]?.args ?? {};
      expect(await invalidArgumentProblems(good, each, args)).toEqual([]);
    }
    await good.close();

    const lax = tool({ input: { ...tool().input, check: (value) => ({ ok: true, value }) } });
    const connection = await connectPack(
      packOf(() => [lax]),
      host,
    );
    const problems = await invalidArgumentProblems(connection, lax, { item: "key" });
    await connection.close();
    expect(problems).toEqual([
      "box_look: an unknown field: expected invalid_input, answered a result",
      "box_look: a wrong type in item: expected invalid_input, answered a result",
      "box_look: a wrong type in deep: expected invalid_input, answered a result",
      "box_look: no item: expected invalid_input, answered a result",
    ]);
  });

  test("invalidArgumentProblems finds a message that does not name the field", async () => {
    const vague = tool({
      input: { ...tool().input, check: () => ({ ok: false, message: "wrong arguments" }) },
    });
    const connection = await connectPack(
      packOf(() => [vague]),
      host,
    );
    const problems = await invalidArgumentProblems(connection, vague, { item: "key" });
    expect(problems.every((problem) => problem.includes("the message does not name"))).toBe(true);
    expect(problems).toHaveLength(wrongCalls(vague, { item: "key" }).length);
    await connection.close();
  });

  test("resultProblems finds a failing example, a value without text, and an empty result", async () => {
    const problems = async (handler: Tool["run"], changes: Partial<Tool> = {}) => {
      const bad = tool({ run: handler, ...changes });
      const connection = await connectPack(
        packOf(() => [bad]),
        host,
      );
      const found = await resultProblems(connection, bad, { item: "key" });
      await connection.close();
      return found.join();
    };
    expect(await problems(() => ({ found: true }))).toBe("");
    const missing = () => {
      throw new ToolError("not_found", "item: no key");
    };
    expect(await problems(missing)).toContain("answered not_found: not_found: item: no key");
    expect(await problems(() => ({ found: true }), { render: () => "" })).toContain("show nothing");
    const image = { type: "image", data: "aGk=", mimeType: "image/png" } as const;
    expect(await problems(() => reply([image]), { media: true })).toBe("");
    expect(await problems(() => reply([]), { media: true })).toContain("the result is empty");
  });

  test("listProblems finds a tool that is not listed as defined", async () => {
    const { pack } = goodPack();
    const tools = await pack.tools();
    const connection = await connectPack(pack, host);
    expect(await listProblems(connection, tools)).toEqual([]);
    const other = tools.map((each) => ({ ...each, description: "Something else.", mutates: !each.mutates }));
    expect(await listProblems(connection, other)).toHaveLength(2 * tools.length);
    expect(await listProblems(connection, tools.slice(1))).toEqual([expect.stringMatching(/^list: expected box_put/)]);
    await connection.close();
  });

  test("readOnlyProblems finds a mutating tool that is not refused", async () => {
    const { pack } = goodPack();
    expect(await readOnlyProblems(pack, host)).toEqual([]);
    const open = {
      ...pack,
      registerWith: (server: Parameters<typeof pack.registerWith>[0]) => pack.registerWith(server),
    };
    expect(await readOnlyProblems(open, host)).toEqual(["read-only: listed box_look, box_put, box_wait"]);
  });
});

test("wrongCalls puts an unknown field into each object of the arguments, at any depth", () => {
  const edit = z.strictObject({ old: z.string().max(5), at: z.strictObject({ line: z.int() }).optional() });
  const taking = toolTaking(z.object({ edits: z.array(edit).max(3) }));
  const calls = wrongCalls(taking, { edits: [{ old: "a" }, { old: "b", at: { line: 1 } }] });
  const nested = calls.filter(({ what }) => what === "an unknown field in edits").map(({ args }) => args["edits"]);
  expect(nested).toEqual([
    [
      { old: "a", unheard_of_field: 1 },
      { old: "b", at: { line: 1 } },
    ],
    [{ old: "a" }, { old: "b", at: { line: 1 }, unheard_of_field: 1 }],
    [{ old: "a" }, { old: "b", at: { line: 1, unheard_of_field: 1 } }],
  ]);
});

describe("untouchedProblems finds", () => {
  test("nothing in a good pack, whose mutating tools change its data", async () => {
    expect(await untouchedProblems(() => goodPack(new Set(["key"])), {})).toEqual([]);
    expect(await fingerprintProblems(() => goodPack())).toEqual([]);
  });

  test("a tool that changes data with mutates: false", async () => {
    const create = () => {
      const box: string[] = [];
      const sly = tool({ run: () => ({ found: box.push("x") > 0 }) });
      return { pack: packOf(() => [sly]), fingerprint: () => [...box] };
    };
    expect(await untouchedProblems(create, {})).toEqual(["box_look: mutates is false, but a call changed something"]);
  });

  test("a pack with mutating tools and without a fingerprint", async () => {
    expect(await fingerprintProblems(() => goodPack().pack)).toEqual([
      "pack box: give a fingerprint of what box_put can change",
    ]);
  });
});
