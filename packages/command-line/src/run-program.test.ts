import { PassThrough } from "node:stream";
import { ConfigurationError, ToolError } from "@toolpacks/core";
import { type Io, print } from "@toolpacks/terminal";
import { expect, test } from "vitest";
import { flag, parseCount } from "./flags.ts";
import { createProgram } from "./help-commands.ts";
import { runProgram } from "./run-program.ts";

const program = createProgram({
  name: "greeter",
  version: "1.2.3",
  description: "Greets people.",
  parents: { list: "list things" },
  groups: [
    {
      title: "Greet:",
      commands: [
        {
          name: "greet",
          summary: "greet somebody",
          operands: [["<name>", "who is greeted", ["ada", "bob"]]],
          flags: [flag("--times <count>", "how often", parseCount)],
          load:
            async () =>
            (io, { times = 1 }, name) =>
              print(io, `hello ${name} ${times}`),
        },
        {
          name: "list fail",
          summary: "fail",
          load: async () => () => {
            throw new ToolError("denied", "no", "Ask.");
          },
        },
        {
          name: "list wrong",
          summary: "find a wrong setting",
          load: async () => () => {
            throw new ConfigurationError("a: wrong");
          },
        },
      ],
    },
  ],
});

async function run(...args: string[]) {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()];
  const { signal } = new AbortController();
  const io: Io = { args, cwd: "/", env: {}, stdin: new PassThrough(), stdout, stderr, columns: undefined, signal };
  const code = await runProgram(io, program);
  return { code, stdout: String(stdout.read() ?? ""), stderr: String(stderr.read() ?? "") };
}

test("a command of the table runs with its flags and operands", async () => {
  expect(await run("greet", "ada", "--times", "2")).toEqual({ code: 0, stdout: "hello ada 2\n", stderr: "" });
});

test.each([
  [["greet", "ada", "--times", "x"], 2, "expected a whole number from 1"],
  [["gret"], 2, "greeter: unknown command gret (did you mean greet?); greeter help lists the commands\n"],
  [["list", "faill"], 2, "greeter: unknown command faill (did you mean fail?); greeter help list lists the commands\n"],
  [["list", "fail"], 1, "greeter: denied: no\nAsk.\n"],
  [["list", "wrong"], 2, "greeter: a: wrong\n"],
  [["list"], 2, "greeter list"],
  [[], 2, "The help of a command: greeter help <command>"],
])("%j ends with exit code %i and says why", async (args, code, message) => {
  expect(await run(...args)).toMatchObject({ code, stdout: "", stderr: expect.stringContaining(message) as string });
});

test("help, version and completion are commands of each program", async () => {
  expect((await run("--version")).stdout).toBe("1.2.3\n");
  expect((await run("help", "list", "fail")).stdout).toContain("Usage: greeter list fail [options]");
  expect((await run("completion", "fish")).stdout).toContain("greeter complete --");
  expect((await run("complete", "--", "gr")).stdout).toBe("greet\tgreet somebody\n");
  expect((await run("complete", "--", "list", "")).stdout).toMatch(/^fail\tfail\nwrong\t/);
  expect((await run("complete", "--", "greet", "b")).stdout).toBe("bob\t\n");
  expect((await run("complete", "--", "greet", "--t")).stdout).toBe("--times\thow often\n");
});
