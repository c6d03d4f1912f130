import { mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { UpstreamOptions } from "./options.ts";
import { connectThrough, createUpstream, folder } from "./wire.fixture.ts";

async function problemOf(options: Partial<UpstreamOptions>) {
  const pack = createUpstream({ name: "own", command: process.execPath, ...options });
  const { problem } = await pack.check();
  return problem ?? { message: "none", hint: undefined };
}

const node = (script: string, more: object = {}) => problemOf({ args: ["-e", script], ...more });

describe("a server that does not start", () => {
  test("fails with the missing command, and how to correct it", async () => {
    expect(await problemOf({ command: "no-such-command" })).toEqual({
      message: "own cannot be started: command not found: no-such-command",
      hint: "Install it, or write its full path in command.",
    });
  });

  test("fails calls with the same message, without advice to try again later", async () => {
    const { client } = await connectThrough([createUpstream({ name: "own", command: "no-such-command" })]);
    const { content } = await client.callTool({ name: "tool_invoke", arguments: { name: "own_say", args: {} } });
    expect(JSON.stringify(content)).toContain("command not found: no-such-command");
    expect(JSON.stringify(content)).toContain("Install it");
    expect(JSON.stringify(content)).not.toContain("Try again later");
  });

  test("fails with the file that is not executable, or has no interpreter", async () => {
    const directory = folder();
    const file = path.join(directory, "server");
    writeFileSync(file, "#!/no/such/interpreter\n", { mode: 0o600 });
    expect((await problemOf({ command: file })).message).toContain(`permission denied: ${file} cannot be executed`);
    const lost = path.join(directory, "lost");
    writeFileSync(lost, "#!/no/such/interpreter\n", { mode: 0o700 });
    expect((await problemOf({ command: lost })).message).toContain(`the interpreter of ${lost} was not found`);
  });

  test("fails with the folder that is missing, or is a file", async () => {
    const directory = folder();
    mkdirSync(path.join(directory, "here"));
    writeFileSync(path.join(directory, "file"), "");
    expect(await problemOf({ cwd: path.join(directory, "gone") })).toMatchObject({
      message: expect.stringMatching(/cwd: the folder .*gone does not exist$/),
      hint: expect.stringContaining("Correct cwd"),
    });
    expect((await problemOf({ cwd: path.join(directory, "file") })).message).toMatch(/cwd: .*file is not a folder$/);
  });

  test("fails with the exit code, and the line of stderr that names the cause", async () => {
    const { message, hint } = await node('require("./no-such-module")');
    expect(message).toBe(
      "own cannot be started: it ended with exit code 1 before it answered; stderr: Error: Cannot find module './no-such-module'",
    );
    expect(hint).toMatch(/^Run its command in a terminal/);
  });

  test("fails with the exit code if stderr is empty", async () => {
    expect((await node("process.exit(7)")).message).toBe(
      "own cannot be started: it ended with exit code 7 before it answered; it wrote nothing to stderr",
    );
  });

  test("fails with the signal that ended it", async () => {
    expect((await node('process.kill(process.pid, "SIGKILL")')).message).toContain("it was ended by SIGKILL");
  });

  test("fails with a message that its output is not MCP", async () => {
    expect(await node('console.log("Usage: server <command>")')).toEqual({
      message:
        'own cannot be started: it ended with exit code 0 before it answered, and its output is not MCP: "Usage: server <command>"',
      hint: expect.stringContaining("documentation"),
    });
  });

  test("fails with the timeout, and the last line of stderr", async () => {
    const script = 'console.error("downloading"); setInterval(() => {}, 1000)';
    const { message, hint } = await node(script, { connectSeconds: 1 });
    expect(message).toMatch(/it did not answer within 1 s; stderr: downloading$/);
    expect(hint).toContain("connectSeconds");
  });
});
