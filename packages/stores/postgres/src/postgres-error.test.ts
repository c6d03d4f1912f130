import { expect, test } from "vitest";
import { postgresError } from "./postgres-error.ts";

test.each(["ECONNREFUSED", "28P01"])("the hint for %s is correct for reads and writes", (code) => {
  expect(postgresError(Object.assign(new Error("failed"), { code }))).toMatchObject({
    code: "unavailable",
    hint: "A write that fails with this error is not stored; earlier writes are.",
  });
});
