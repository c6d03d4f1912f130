import { spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { cli, folder, roughPack, run } from "../command.fixture.ts";
import { canRunWarm, isRunning, warmServers } from "./warm.fixture.ts";

const canary = new URL("../../../../packages/upstream/src/canary-server.fixture.ts", import.meta.url).pathname;

const read = ["call", "fs_read", "path=a.txt", "--root", "."];
const text = { code: 0, stdout: "text\n", stderr: "" };

/** A folder whose config file has another server. It says its process number. */
function withServer(more: object = {}): string {
  const mcpServers = { other: { command: process.execPath, args: [canary, "starts.log"] } };
  return folder({ "toolpacks.config.json": JSON.stringify({ mcpServers, ...more }) });
}

/** Runs a command without a warm server. It creates the store and the workspace. */
const runCold = (args: readonly string[], cwd: string, env: object) =>
  run(args, { cwd, env: { ...env, TOOLPACKS_WARM: "0" } });

const started = (cwd: string) => readFileSync(path.join(cwd, "starts.log"), "utf8").split("\n");

/** Starts a command that waits for the other server's answer, which never comes. */
async function startHanging(cwd: string, env: object) {
  await runCold(["issues", "list"], cwd, env);
  rmSync(path.join(cwd, "starts.log"), { force: true });
  const child = spawn(process.execPath, [cli, "call", "other_hang", "--trust"], {
    cwd,
    env: { ...process.env, ...env },
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream.on("data", (chunk: Buffer) => (output += chunk.toString()));
  const ended = once(child, "close").then(([code]: unknown[]) => ({ code, output }));
  await expect.poll(() => existsSync(path.join(cwd, "starts.log")) && started(cwd).join("")).toContain('"hang"');
  return { child, ended };
}

describe.skipIf(!canRunWarm)("a warm server", () => {
  test("starts the servers behind it once, and ends with them when it is stopped", async () => {
    const { env, stop, sockets, server } = warmServers();
    const cwd = withServer();
    await runCold(["issues", "list"], cwd, env);
    rmSync(path.join(cwd, "starts.log"), { force: true });
    const call = () => run(["call", "other_say"], { cwd, env });
    const [first, ...others] = [await call(), await call(), await call()];
    expect(first.stderr).toBe("");
    expect(others).toEqual([first, first]);
    expect(started(cwd).filter((line) => line.includes('"argv"'))).toHaveLength(1);
    await stop();
    expect(sockets()).toEqual([]);
    await expect.poll(() => isRunning(Number(first.stdout))).toBe(false);
    await expect(server()).rejects.toThrow("no warm server runs");
  });

  test("is started once by commands that start at the same time, and replaced after it was killed", async () => {
    const { env, server } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    const results = await Promise.all(Array.from({ length: 5 }, () => run(read, { cwd, env })));
    expect(results).toEqual(Array.from({ length: 5 }, () => text));
    const { pid } = await server();
    process.kill(pid, "SIGKILL");
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(await run(read, { cwd, env })).toEqual(text);
    expect((await server()).pid).not.toBe(pid);
  });

  test("that does not answer is left alone, and the command runs by itself", async () => {
    const { env, server } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    await run(read, { cwd, env });
    const { pid } = await server();
    process.kill(pid, "SIGSTOP");
    expect(await run(read, { cwd, env })).toEqual(text);
    process.kill(pid, "SIGCONT");
    expect((await server()).pid).toBe(pid);
  });

  test("ends after a while without requests, and is not started with 0 or in CI", async () => {
    const { env, list, place, server } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    const settings: readonly Record<string, string>[] = [{ TOOLPACKS_WARM: "0" }, { TOOLPACKS_WARM: "", CI: "true" }];
    for (const off of settings) {
      expect(await run(read, { cwd, env: { ...env, ...off } })).toEqual(text);
      expect(existsSync(place)).toBe(false);
    }
    await run(read, { cwd, env: { ...env, TOOLPACKS_WARM: "0.03" } });
    const { pid } = await server();
    await expect.poll(() => isRunning(pid)).toBe(false);
    expect(await list()).toEqual([]);
  });

  test("is not started beyond 8 of them", async () => {
    const { env, list } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    for (let count = 0; count < 9; count += 1)
      expect(await run(read, { cwd, env: { ...env, OTHER: String(count) } })).toEqual(text);
    expect(await list()).toHaveLength(8);
  });

  test("cancels the call of an interrupted command, and of one that was killed", async () => {
    const { env } = warmServers();
    const cwd = withServer();
    const first = await startHanging(cwd, env);
    first.child.kill("SIGINT");
    expect(await first.ended).toEqual({ code: 1, output: expect.stringMatching(/cancel/) });
    await expect.poll(() => started(cwd).join("")).toContain("notifications/cancelled");
    const second = await startHanging(cwd, env);
    second.child.kill("SIGKILL");
    await expect.poll(() => started(cwd).join("")).toContain("notifications/cancelled");
  });

  test("that ends during a command leaves an error", async () => {
    const { env, server } = warmServers();
    const cwd = withServer();
    const call = await startHanging(cwd, env);
    process.kill((await server()).pid, "SIGKILL");
    const output = expect.stringContaining("unavailable: the warm server ended before its answer");
    expect(await call.ended).toEqual({ code: 1, output });
  });
});

describe.skipIf(!canRunWarm)("the settings of a command are its own", () => {
  const edit = (cwd: string, name: string, content: string) => writeFileSync(path.join(cwd, name), content);

  test("after a change of the config file, also when it becomes wrong or is removed", async () => {
    const { env } = warmServers();
    const cwd = withServer();
    const call = () => run(["call", "other_say"], { cwd, env });
    await runCold(["issues", "list"], cwd, env);
    const config = readFileSync(path.join(cwd, "toolpacks.config.json"), "utf8");
    expect((await call()).code).toBe(0);
    edit(cwd, "toolpacks.config.json", config.replace("{", '{"deny":["other_say"],'));
    expect((await call()).stderr).toMatch(/denied/);
    edit(cwd, "toolpacks.config.json", '{"packs":');
    expect(await call()).toMatchObject({ code: 2, stderr: expect.stringMatching(/not valid JSON/) });
    rmSync(path.join(cwd, "toolpacks.config.json"));
    expect((await call()).stderr).toMatch(/not_found/);
    edit(cwd, "toolpacks.config.json", config);
    expect((await call()).code).toBe(0);
  });

  test("a file that is not trusted runs nothing while another command trusts it", async () => {
    const { env } = warmServers();
    const cwd = withServer({ write: true });
    await runCold(["issues", "list", "--root", "."], cwd, env);
    const write = ["call", "fs_write", "path=new.txt", "content=x", "--root", "."];
    const refused = await run(write, { cwd, env, isTrusted: false });
    expect(refused.stderr).toMatch(/denied/);
    expect((await run(["call", "other_say"], { cwd, env })).code).toBe(0);
    expect((await run(write, { cwd, env })).code).toBe(0);
    rmSync(path.join(cwd, "new.txt"));
    expect(await run(write, { cwd, env, isTrusted: false })).toEqual(refused);
    expect(existsSync(path.join(cwd, "new.txt"))).toBe(false);
  });

  test("for its flags, folder and variables, and after a root or the store was replaced", async () => {
    const { env } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    expect(await run(read, { cwd, env })).toEqual(text);
    const write = ["call", "fs_write", "path=b.txt", "content=x", "--root", "."];
    expect((await run([...write, "--write"], { cwd, env })).code).toBe(0);
    expect((await run(write, { cwd, env })).stderr).toMatch(/denied/);
    const elsewhere = folder({ "a.txt": "other" });
    expect((await run(read, { cwd: elsewhere, env })).stdout).toBe("other\n");
    const roots = { ...env, TOOLPACKS_ROOTS: elsewhere };
    expect((await run(read.slice(0, 3), { cwd, env: roots })).stdout).toBe("other\n");
    renameSync(elsewhere, `${elsewhere}.old`);
    mkdirSync(elsewhere);
    edit(elsewhere, "a.txt", "after");
    expect((await run(read.slice(0, 3), { cwd, env: roots })).stdout).toBe("after\n");
    const issues = (...words: readonly string[]) => run(["issues", ...words, "--store", "store.db"], { cwd, env });
    await issues("create", "first");
    expect((await issues("list")).stdout).toMatch(/first/);
    for (const suffix of ["", "-wal", "-shm"]) rmSync(path.join(cwd, `store.db${suffix}`), { force: true });
    expect((await issues("list")).stdout).not.toMatch(/first/);
  });

  test("a pack that the config file names by path runs in the command's own process", async () => {
    const { env, list } = warmServers();
    const cwd = folder({ "rough.mjs": roughPack, "toolpacks.config.json": '{"packs":{"./rough.mjs":{}}}' });
    expect((await run(["call", "rough_print"], { cwd, env })).stdout).toContain("printed");
    expect(await list()).toEqual([]);
  });
});

describe.skipIf(!canRunWarm)("the socket of a warm server", () => {
  test("is accessible by its user only, and no tool can write in its folder", async () => {
    const { env, place, sockets } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    await run(read, { cwd, env });
    expect(statSync(place).mode & 0o777).toBe(0o700);
    const [name = ""] = sockets();
    expect(statSync(path.join(place, name)).mode & 0o077).toBe(0);
    const write = ["call", "fs_write", "path=warm/new", "content=x", "--root", path.dirname(place), "--write"];
    expect((await run(write, { cwd, env })).stderr).toMatch(/protected/);
  });

  test.each([
    ["that others can enter", (place: string) => chmodSync(place, 0o755)],
    [
      "that is a link",
      (place: string) => {
        rmSync(place, { recursive: true });
        symlinkSync(folder(), place);
      },
    ],
  ])("in a folder %s is not used", async (_, spoil) => {
    const { env, place, sockets } = warmServers();
    const cwd = folder({ "a.txt": "text" });
    await runCold(read, cwd, env);
    mkdirSync(place, { recursive: true, mode: 0o700 });
    spoil(place);
    expect(await run(read, { cwd, env })).toEqual(text);
    expect(sockets()).toEqual([]);
  });

  test.each([
    ["cannot be created", "/proc/none"],
    ["has no room for the name of a socket", path.join(folder(), "long/".repeat(20))],
  ])("is left out if its folder %s", async (_, data) => {
    const cwd = folder({ "a.txt": "text" });
    const env = { TOOLPACKS_WARM: "5", XDG_DATA_HOME: data, TOOLPACKS_STORE: path.join(cwd, "store.db") };
    await runCold(read, cwd, env);
    expect((await run(read, { cwd, env })).stdout).toBe("text\n");
  });
});
