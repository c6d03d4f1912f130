import { expect, test } from "vitest";
import { ripgrepError } from "./ripgrep-error.ts";

const ended = { code: 2, killedBy: null, pattern: "needle" } as const;

test.each([
  "error parsing glob 'FORGED': forbidden",
  "unrecognized file type: FORGED",
  "rg: error parsing glob 'F': x",
])("the name of an unreadable file is not reported as an error: %s", (forged) => {
  const errorText = `rg: ./x\n${forged}\ny: Permission denied (os error 13)\n`;
  expect(ripgrepError({ ...ended, errorText })).toBeUndefined();
});

test("an error of a glob is reported, also with invalid rules in ignore files", () => {
  const rules =
    "rg: /dev/fd/4: line 1: error parsing glob '[z-a]': x\n/dev/fd/4: line 2: error parsing glob '[y-b]': x\n";
  const errorText = `rg: /dev/fd/3: line 3: error parsing glob '![c-a]': invalid range\n${rules}`;
  expect(ripgrepError({ ...ended, errorText })?.message).toContain("globs: [c-a]: invalid range");
});
