import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { findDriver, shortAddressFormats } from "./bundled-drivers.ts";

test.each([
  ["/data/store.db", "SQLite"],
  ["C:\\data\\store.db", "SQLite"],
  ["postgres://u:p@h/d", "PostgreSQL"],
  ["POSTGRESQL://h/d", "PostgreSQL"],
  ["mysql://u:p@h/d", undefined],
])("findDriver of %s finds %s", (address, name) => {
  expect(findDriver(address)?.name).toBe(name);
});

test("shortAddressFormats shows an address for each driver", () => {
  expect(shortAddressFormats).toBe("a file's path or postgres://…");
});

test("no file outside of stores/ names a database", () => {
  const sources = path.dirname(import.meta.dirname);
  const files = readdirSync(sources, { recursive: true, encoding: "utf8" }).filter(
    (file) => /(?<!\.test|\.fixture)\.ts$/.test(file) && !file.startsWith(`stores${path.sep}`),
  );
  // The extensions of data files are those of every program's databases.
  const known = files.filter((file) =>
    /sqlite(?!3\?\|log)|postgres|["']pg["']/i.test(readFileSync(path.join(sources, file), "utf8")),
  );
  expect(files.length).toBeGreaterThan(50);
  expect(known).toEqual([]);
});
