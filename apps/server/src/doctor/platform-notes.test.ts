import { expect, test } from "vitest";
import { platformNotes } from "./platform-notes.ts";

test("doctor names what is protected less than on Linux, on each other system", () => {
  expect(platformNotes("linux")).toEqual([]);
  expect(platformNotes("darwin")).toEqual([expect.stringMatching(/^darwin: a folder that .* docs\/security\.md$/)]);
  expect(platformNotes("win32")).toEqual([expect.stringMatching(/^Windows: .* access rights .* docs\/security\.md$/)]);
});
