import { expect, test } from "vitest";
import { namesHere } from "./tool-names.ts";

const here = (names: readonly string[]) => Object.fromEntries(namesHere("git_", names));

test("namesHere puts names into snake case behind the prefix", () => {
  expect(here(["log", "listIssues", "get-HTTPStatus", "Ünïcode name!"])).toEqual({
    log: "git_log",
    listIssues: "git_list_issues",
    "get-HTTPStatus": "git_get_httpstatus",
    "Ünïcode name!": "git_unicode_name",
  });
});

test("namesHere gives unique names of characters that models accept", () => {
  const long = "a_tool_that_somebody_has_named_with_very_great_care_and_detail";
  const names = ["get_user", "getUser", "get-user", `${long}_one`, `${long}_two`, "日本語", "***", ""];
  const given = Object.values(here(names));
  expect(new Set(given).size).toBe(names.length);
  for (const name of given) expect(name).toMatch(/^[a-z][a-z0-9_]{0,63}$/);
});

test("namesHere keeps configured names, and names of other servers", () => {
  const rename = (name: string) => (name === "old" ? "log" : undefined);
  const names = Object.fromEntries(namesHere("git_", ["log", "old", "hub_log"], { rename, avoid: ["git_hub_"] }));
  expect(names).toEqual({
    old: "git_log",
    log: expect.stringMatching(/^git_log_[0-9a-f]{8}$/),
    hub_log: expect.stringMatching(/^git_hub_log_[0-9a-f]{8}$/),
  });
});

test("namesHere keeps a snake-case name, also after a name that converts to the same", () => {
  expect(here(["getUser", "get_user"])["get_user"]).toBe("git_get_user");
  expect(here(["get_user", "getUser"])).toEqual(here(["getUser", "get_user"]));
});

test("namesHere takes bounded time for long names", () => {
  const names = Array.from({ length: 3_000 }, (_, at) => `${at}${"\uFDFA".repeat(990)}`);
  const start = performance.now();
  const all = namesHere("git_", [...names, ...names.map((name) => name.slice(0, 5))]);
  expect(performance.now() - start).toBeLessThan(2_000);
  expect(new Set(all.values()).size).toBe(all.size);
});
