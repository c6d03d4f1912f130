import type { Command } from "commander";
import parseArgs from "string-argv";
import { knownClients } from "@toolpacks/client-config";
import { allCommands, createCommand, findRoute, programCommand, variableOf } from "@toolpacks/command-line";
import { describe, expect, test } from "vitest";
import { run, testIo } from "../run-cli.fixture.ts";
import { program } from "./commands.ts";
import { mountFlags } from "./flags.ts";

const { io } = testIo();
const whole = programCommand(io, program);

function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

describe("the help", () => {
  const lines = allCommands(program).flatMap(({ name, examples = [] }) =>
    examples.map((line) => [name, line] as const),
  );

  test.each(lines)("of %s has an example that the command accepts: %s", (name, line) => {
    const words = parseArgs(line.replace(/^source <\((.*?)\).*/, "$1").replace(/ {2,}.*| [|>] .*/, ""));
    expect(words[0]).toBe("toolpacks");
    const route = findRoute(program, words.slice(1));
    expect(route).toMatchObject({ entry: { name } });
    if (!("entry" in route)) return;
    const command = createCommand(io, route.entry, name);
    expect(command.action(() => {}).parse([...route.rest], { from: "user" })).toBe(command);
  });

  test("shows the flags of the command first, and examples", async () => {
    const { stdout, code } = await run(["doctor", "--help"]);
    expect(code).toBe(0);
    const order = [
      "\nOptions:",
      "--require",
      "\nWhat is mounted:",
      "--config",
      "--facet",
      "\nExamples:\n  toolpacks doctor",
    ];
    expect(order.map((text) => stdout.indexOf(text))).toEqual(
      order.map((text) => stdout.indexOf(text)).toSorted((a, b) => a - b),
    );
    expect(stdout).not.toContain("undefined");
    for (const line of stdout.split("\n")) expect(line.length).toBeLessThanOrEqual(88);
  });

  test("names the variable of each flag that has one", async () => {
    const { stdout } = await run(["help", "serve"]);
    const variables = [...stdout.matchAll(/\$(TOOLPACKS_\w+)\]/g)].map(([, name]) => name);
    expect(variables).toEqual(mountFlags.flags.flatMap((option) => variableOf(option) ?? []));
    expect(variables).toHaveLength(7);
    expect(stdout).toContain("Flags without [$…] have no variable.");
    expect(stdout).toContain("toolpacks config schema");
  });

  test("of a command with subcommands is its answer without one, with exit code 2", async () => {
    expect(await run(["tokens"], { isTrusted: false })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("rotate") as string,
    });
  });

  test("has colours only where they are wanted", async () => {
    const env = { NO_COLOR: "", FORCE_COLOR: "1" };
    expect((await run(["help"], { env })).stdout).toContain("\u001B[1mServe:");
    expect((await run(["help"], { env: { NO_COLOR: "1" } })).stdout).not.toContain("\u001B");
  });

  test("has a description of every command", () => {
    expect(leaves(whole).filter((command) => command.description() === "")).toEqual([]);
  });
});

test("the help of init names every known client", async () => {
  const { stdout } = await run(["help", "init"], { columns: 1_000 });
  for (const { id } of knownClients) expect(stdout).toMatch(new RegExp(`\\b${id}\\b`));
});
