import { describe, expect, test } from "vitest";
import { accessSchema, type Access } from "./access.ts";
import { describeAccess } from "./describe-access.ts";
import { grantMoreTogether, unionAccess } from "./union-access.ts";

const rate = (requests: number, seconds: number) => ({ rate: { requests, seconds } });

describe("unionAccess", () => {
  test.each<[what: string, accesses: readonly Access[], expected: Access]>([
    ["one access", [{ facets: ["a"], readOnly: true }], { facets: ["a"], readOnly: true }],
    ["facets and tools of all", [{ facets: ["a"] }, { tools: ["t"] }], { facets: ["a"], tools: ["t"] }],
    ["the same facets", [{ facets: ["a", "b"] }, { facets: ["b"] }], { facets: ["a", "b"] }],
    ["every tool with some", [{ facets: ["a"] }, {}], {}],
    ["no tool with some", [{ facets: [] }, { tools: ["t"] }], { facets: [], tools: ["t"] }],
    ["no tool with no tool: never every tool", [{ facets: [] }, { tools: [] }], { facets: [] }],
    ["read-only with writing", [{ readOnly: true }, {}], {}],
    ["read-only with an explicit false", [{ readOnly: true }, { readOnly: false }], {}],
    ["read-only with read-only", [{ readOnly: true }, { readOnly: true }], { readOnly: true }],
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
    const union = unionAccess(accesses);
    expect(union).toEqual(expected);
    expect(accessSchema.parse(union)).toEqual(union);
    // An access that is named again changes nothing.
    expect(unionAccess([union, ...accesses])).toEqual(union);
  });

  test("changes none of its arguments", () => {
    const accesses = [
      { facets: ["a"], roots: ["/a"] },
      { facets: ["b"], roots: ["/b"] },
    ];
    const before = structuredClone(accesses);
    unionAccess(accesses).facets?.push("c");
    expect(accesses).toEqual(before);
  });
});

test.each<[one: Access, other: Access, isMore: boolean]>([
  [{ facets: ["issues"] }, { readOnly: true }, true],
  [{ facets: ["filesystem"], roots: ["/a"] }, { facets: ["search"] }, true],
  [{ workspaces: ["a"], readOnly: true }, { workspaces: ["b"] }, true],
  [{ readOnly: true }, {}, false],
  [{ facets: ["a"], readOnly: true }, {}, false],
  [{ facets: ["a"] }, { facets: ["b"] }, false],
  [{ facets: ["a"], readOnly: true }, { tools: ["t"], readOnly: true }, false],
  [{ roots: ["/a"] }, { roots: ["/b"] }, false],
  [{ facets: ["a"], ...rate(1, 1) }, { facets: ["b"], ...rate(2, 1) }, false],
])("grantMoreTogether finds unions beyond both accesses: %j and %j", (one, other, isMore) => {
  expect(grantMoreTogether(one, other)).toBe(isMore);
  expect(grantMoreTogether(other, one)).toBe(isMore);
});

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
