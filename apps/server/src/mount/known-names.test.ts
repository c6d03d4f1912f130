import path from "node:path";
import { afterAll, expect, test } from "vitest";
import type { Access } from "@toolpacks/access";
import { folder, testIo } from "../run-cli.fixture.ts";
import { accessNotes } from "./known-names.ts";
import { createRuntime } from "./runtime.ts";

const home = folder({ "rough.txt": "" });
const runtime = await createRuntime(
  { logLevel: "silent", store: path.join(home, "store.db"), root: [home] },
  { io: testIo().io },
);

afterAll(() => runtime.finish(0));

test.each<[Access, readonly string[]]>([
  [{}, []],
  [{ facets: ["filesystem", "core", "store", "relay"], tools: ["relay_read", "fs_list", "store_put"] }, []],
  [{ facets: ["workflow"] }, ['facets: no facet is named "workflow" (did you mean "workflows"?)']],
  [
    { facets: ["zzz"], tools: ["memory_recal"] },
    ['facets: no facet is named "zzz"', 'tools: no tool is named "memory_recal" (did you mean "memory_recall"?)'],
  ],
  // A tool that the configuration refuses exists.
  [{ tools: ["fs_write"] }, []],
  [{ roots: [home], workspaces: ["any"] }, []],
  [{ roots: ["/"] }, [`roots: "/" is not within the server's roots; accepted: a folder within ${home}`]],
])("the problems of %j are named", async (access, problems) => {
  const notes = problems.length === 0 ? [] : [`ada: ${problems.join("; ")}`];
  expect(await accessNotes([{ name: "ada", access }], runtime.mounting)).toEqual(notes);
});
