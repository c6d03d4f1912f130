import { createCatalog, createPack, defineTool } from "@toolpacks/core";
import { describe, expect, test } from "vitest";
import { z } from "zod";
import type { Access, PrincipalAccess } from "./access.ts";
import { describeAccess } from "./describe-access.ts";
import { unionAccess } from "./union-access.ts";

const rate = (requests: number, seconds: number) => ({ rate: { requests, seconds } });

describe("unionAccess", () => {
  test.each<[what: string, accesses: readonly Access[], expected: Omit<PrincipalAccess, "grants">]>([
    ["roots in order", [{ roots: ["/b"] }, { roots: ["/a", "/b"] }], { roots: ["/b", "/a"] }],
    ["some roots with the server's", [{ roots: ["/a"] }, {}], {}],
    ["no roots with some", [{ roots: [] }, { roots: ["/a"] }], { roots: ["/a"] }],
    ["no roots with no roots: never the server's", [{ roots: [] }, { roots: [] }], { roots: [] }],
    ["workspaces in order", [{ workspaces: ["w2"] }, { workspaces: ["w1"] }], { workspaces: ["w2", "w1"] }],
    ["some workspaces with the server's", [{ workspaces: ["w"] }, {}], {}],
    ["the highest rate", [rate(100, 60), rate(10, 1), rate(50, 60)], rate(10, 1)],
    ["the larger burst of equal rates", [rate(1, 1), rate(60, 60)], rate(60, 60)],
    ["a rate with the server's", [rate(1, 1), {}], {}],
  ])("combines %s", (_, accesses, expected) => {
    const { grants: _grants, ...union } = unionAccess(accesses);
    expect(union).toEqual(expected);
    // An access that is named again changes nothing.
    const { grants: _again, ...again } = unionAccess([...accesses, ...accesses]);
    expect(again).toEqual(union);
  });

  test("grants a tool exactly if one of the accesses does", async () => {
    const catalog = createCatalog({ packs: [twoTools("a"), twoTools("b")] });
    const namesOf = async (...accesses: readonly Access[]) => {
      const view = await catalog.view({ grants: unionAccess(accesses).grants });
      return new Set((await view.entries()).map(({ tool }) => tool.name));
    };
    const names: readonly Access[] = [
      {},
      { facets: [] },
      { facets: ["a"] },
      { tools: ["a_write"] },
      { facets: ["a"], tools: ["b_write", "b_read"] },
    ];
    const accesses = names.flatMap((one) => [one, { ...one, readOnly: true }]);
    for (const one of accesses) {
      for (const other of accesses) {
        const expected = new Set([...(await namesOf(one)), ...(await namesOf(other))]);
        expect(await namesOf(one, other), JSON.stringify([one, other])).toEqual(expected);
      }
    }
  });

  test("changes none of its arguments", () => {
    const accesses = [
      { facets: ["a"], roots: ["/a"] },
      { facets: ["b"], roots: ["/b"] },
    ];
    const before = structuredClone(accesses);
    unionAccess(accesses).roots?.push("/c");
    expect(accesses).toEqual(before);
  });
});

/** A pack with a tool that reads and a tool that writes. */
function twoTools(name: string) {
  const tools = [false, true].map((mutates) =>
    defineTool({
      name: `${name}_${mutates ? "write" : "read"}`,
      description: "Does a test.",
      mutates,
      input: z.object({}),
      output: z.object({}),
      handler: () => ({}),
    }),
  );
  return createPack({ name, description: "Tests.", budget: 500, tools: async () => tools });
}

test.each<[access: Access, text: string]>([
  [{}, "all tools"],
  [{ facets: [] }, "no tools"],
  [{ facets: [], tools: ["fs_read"] }, "tools fs_read"],
  [
    { facets: ["issues", "my pack"], readOnly: true, roots: [], workspaces: ["w"], ...rate(100, 60) },
    'facets issues, "my pack"; read-only; no files; workspaces w; 100 requests per 60 s',
  ],
])("describeAccess puts %j in words", (access, text) => {
  expect(describeAccess(access)).toBe(text);
});
