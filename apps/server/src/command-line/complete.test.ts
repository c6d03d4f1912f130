import { expect, test } from "vitest";
import { folder, run } from "../run-cli.fixture.ts";

const cwd = folder({ "toolpacks.config.json": '{"packs":{"prompts":{}}}' });

/** The words that are offered after a line, whose last word is begun. */
async function after(line: string): Promise<readonly string[]> {
  const { stdout } = await run(["complete", "--", ...line.split(" ")], { cwd, isTrusted: false });
  return stdout
    .split("\n")
    .filter(Boolean)
    .map((one) => one.split("\t")[0] ?? "");
}

test.each([
  ["", ["serve", "tokens", "completion", "issues", "memory", "workflows"]],
  ["issues ", ["list", "create", "ready"]],
  ["memory trace ", ["timeline", "search"]],
  ["issues list --", ["--label", "--limit", "--json", "--url", "--store", "--help"]],
  ["issues list --sort ", ["priority", "newest"]],
  ["tokens ", ["add", "rotate"]],
  ["tokens add x --", ["--facets", "--help"]],
  ["tools --surface ", ["auto", "direct", "discovery", "two-tool"]],
  ["call ", ["store_put", "issue_list"]],
  ["--", ["--watch", "--http", "--root"]],
  ["completion ", ["bash", "zsh", "fish"]],
])("after %j it offers %j", async (line, expected) => {
  expect(await after(line)).toEqual(expect.arrayContaining([...expected]));
});

test.each([
  ["do", ["doctor"]],
  ["call store_pu", ["store_put"]],
  ["issues list --labe", ["--label"]],
  ["tools --store ", []],
  ["zebra ", []],
])("after %j it offers %j alone", async (line, expected) => {
  expect(await after(line)).toEqual(expected);
});

test("hidden commands and the flags of other commands are not offered", async () => {
  expect(await after("")).not.toContain("complete");
  expect(await after("backup --")).not.toContain("--surface");
});

test("an unknown shell is refused with the known ones", async () => {
  expect(await run(["completion", "csh"])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining("Allowed choices are bash, zsh, fish"),
  });
});
