import { describe, expect, test } from "vitest";
import { closest, nearest } from "./nearest.ts";

const tools = ["fs_read", "fs_write", "fs_list", "issue_ready", "issue_show", "note_add"];

describe("nearest", () => {
  test.each([
    ["fs_raed", "fs_read"],
    ["FS_READ", "fs_read"],
    ["read_fs", "fs_read"],
    ["issue_redy", "issue_ready"],
    ["add_note", "note_add"],
  ])("finds for %s first %s", (wanted, found) => {
    expect(nearest(wanted, tools)[0]).toBe(found);
    expect(closest(wanted, tools)).toBe(found);
  });

  test("finds nothing for a name that resembles no other", () => {
    expect(nearest("quarterly_report", tools)).toEqual([]);
    expect(closest("quarterly_report", tools)).toBeUndefined();
  });

  test("finds no name below the required similarity", () => {
    expect(closest("issue_list", tools, 0.7)).toBeUndefined();
    expect(closest("isue_show", tools, 0.7)).toBe("issue_show");
  });

  test("orders equally similar names alphabetically, up to the limit", () => {
    expect(nearest("tool_x", ["tool_c", "tool_a", "tool_b"], 2)).toEqual(["tool_a", "tool_b"]);
  });

  test("compares only the first characters of a long name", () => {
    const longest = "x".repeat(64);
    expect(nearest("x".repeat(5_000_000), [...tools, longest])).toEqual([longest]);
  });
});
