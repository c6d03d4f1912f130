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
