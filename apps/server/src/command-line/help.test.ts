import type { Command } from "commander";
import parseArgs from "string-argv";
import { describe, expect, test } from "vitest";
import { run } from "../command.fixture.ts";
import { configSchema } from "../config/config-schema.ts";
import { configOnly, variableOf } from "./describe-help.ts";
import { examples } from "./examples.ts";
import { addMountFlags } from "./flags.ts";
import { createProgram } from "./program.ts";
import { commandPath } from "./unknown-command.ts";

const program = createProgram();

function leaves(command: Command): readonly Command[] {
  return command.commands.length === 0 ? [command] : command.commands.flatMap(leaves);
}

/** The command that words name, and its operands and flags. */
function commandIn(words: readonly string[]): Command {
  const found = program.commands.find((one) => one.name() === words[0]);
  const serve = program.commands.find((one) => one.name() === "serve") ?? program;
  return found?.commands.find((one) => one.name() === words[1]) ?? found ?? serve;
}

describe("the help", () => {
  const lines = Object.entries(examples).flatMap(([path, all]) => all.map((line) => [path, line] as const));

  test.each(lines)("of %s has an example that the command accepts: %s", (path, line) => {
    const words = parseArgs(line.replace(/^source <\((.*?)\).*/, "$1").replace(/ {2,}.*| [|>] .*/, ""));
    expect(words[0]).toBe("toolpacks");
    const command = commandIn(words.slice(1));
    const names = path.split(" ");
    expect([path, names.slice(0, -1).join(" ")]).toContain(commandPath(command).join(" "));
    const own = words.includes("--") ? words.slice(0, words.indexOf("--")) : words;
    const known = [command, ...command.commands].flatMap(({ options }) => options.map(({ long }) => String(long)));
    for (const flag of own.filter((word) => word.startsWith("--"))) expect(known).toContain(flag);
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

  test("names the variable of each setting, or says that it has none", async () => {
    const { stdout } = await run(["help", "serve"]);
    const variables = [...stdout.matchAll(/\$(TOOLPACKS_\w+)\]/g)].map(([, name]) => name);
    expect(variables).toEqual(
      addMountFlags(program.createCommand()).options.flatMap(({ long }) => variableOf(long ?? "") ?? []),
    );
    expect(variables).toHaveLength(7);
    expect(stdout).toContain("Flags without [$…] have no variable.");
    const flags = new Set<string>(stdout.match(/--[\w-]+/g));
    const keys = Object.keys(configSchema.shape).filter(
      (key) => key !== "$schema" && key !== "http" && key !== "roots",
    );
    const withoutFlag = keys.filter(
      (key) => !flags.has(`--${key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`)}`),
    );
    expect(withoutFlag.toSorted()).toEqual([...configOnly]);
  });

  test("of a command with subcommands is its answer without one, with exit code 2", async () => {
    expect(await run(["issues"], { isTrusted: false })).toMatchObject({
      code: 2,
      stdout: "",
      stderr: expect.stringContaining("board") as string,
    });
  });

  test("has colours only where they are wanted", async () => {
    const env = { NO_COLOR: "", FORCE_COLOR: "1" };
    expect((await run(["help"], { env })).stdout).toContain("\u001B[1mServe:");
    expect((await run(["help"], { env: { NO_COLOR: "1" } })).stdout).not.toContain("\u001B");
  });

  test("has a description of every command", () => {
    expect(leaves(program).filter((command) => command.description() === "")).toEqual([]);
  });
});
