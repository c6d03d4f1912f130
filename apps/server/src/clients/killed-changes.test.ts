import { execFile } from "node:child_process";
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { cli, folder } from "../command.fixture.ts";
import { noClientVariables } from "./import-home.fixture.ts";

const killAt = fileURLToPath(new URL("kill-at.fixture.ts", import.meta.url));
const clientFiles = {
  ".cursor/mcp.json": '{ "mcpServers": { "git": { "command": "uvx", "args": ["mcp-server-git"] } } }\n',
  ".codeium/windsurf/mcp_config.json": '{ "mcpServers": { "wind": { "serverUrl": "https://w.example.com" } } }\n',
  ".config/goose/config.yaml": "extensions:\n  developer: { enabled: true, type: builtin } # ours\n",
};

/** Every how many changes the command is killed. The campaign kills it at each. */
const step = process.env["TOOLPACKS_CAMPAIGN"] === undefined ? 3 : 1;

interface Run {
  readonly isKilled: boolean;
  /** Whether half of a file was written. */
  readonly isHalfway: boolean;
  readonly stdout: string;
}

/** A home with the files of two clients. */
function newHome() {
  const directory = folder();
  for (const [name, text] of Object.entries(clientFiles)) {
    mkdirSync(path.dirname(path.join(directory, name)), { recursive: true });
    writeFileSync(path.join(directory, name), text);
  }
  const env = {
    ...process.env,
    HOME: directory,
    XDG_CONFIG_HOME: path.join(directory, ".config"),
    XDG_DATA_HOME: path.join(directory, "data"),
    XDG_CACHE_HOME: path.join(directory, "cache"),
    ...noClientVariables,
  };
  /** @param at the change at which the command is killed; undefined lets it end */
  const change = (words: readonly string[], at?: number, halfway = false) => {
    const preload = at === undefined ? [] : ["--import", killAt];
    const extra = { KILL_AT: String(at), ...(halfway && { KILL_HALFWAY: "1" }) };
    const args = [...preload, cli, ...words];
    return new Promise<Run>((resolve) => {
      execFile(process.execPath, args, { cwd: directory, env: { ...env, ...extra } }, (error, stdout, stderr) =>
        resolve({ isKilled: error?.signal === "SIGKILL", isHalfway: stderr.includes("halfway"), stdout }),
      );
    });
  };
  return { directory, change };
}

/** Every file below a folder, without the folders of caches. */
function filesOf(directory: string): Record<string, string> {
  const names = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = names.map((entry) => path.join(entry.parentPath, entry.name));
  const kept = paths.filter((file) => !path.relative(directory, file).startsWith("cache"));
  return Object.fromEntries(kept.map((file) => [path.relative(directory, file), readFileSync(file, "utf8")]));
}

/** The arguments of each command. */
interface KilledCommands {
  readonly before?: readonly string[];
  readonly killed: readonly string[];
  readonly undo: readonly string[];
}

/**
 * Changes files and undoes that in the same home, which is restored before each run, killed at the first change, then at later ones, until the command finishes. At the write of a file, it is killed
 * once halfway and once before.
 */
async function killEverywhere({ before, killed, undo }: KilledCommands): Promise<number> {
  const { directory, change } = newHome();
  if (before !== undefined) await change(before);
  const original = folder();
  cpSync(directory, original, { recursive: true });
  const killAtChange = async (at: number, halfway: boolean) => {
    rmSync(directory, { recursive: true });
    cpSync(original, directory, { recursive: true });
    const end = await change(killed, at, halfway);
    const { stdout } = await change(undo);
    expect(filesOf(directory), `killed at change ${at}: ${stdout}`).toEqual(clientFiles);
    return end;
  };
  let halves = 0;
  for (let at = 1; at < 100; at += step) {
    const { isKilled, isHalfway } = await killAtChange(at, true);
    if (isHalfway) {
      halves += 1;
      await killAtChange(at, false);
    }
    if (isKilled) continue;
    expect(halves).toBeGreaterThan(0);
    return at;
  }
  throw new Error("the command never ends");
}

const apply = ["import-clients", "--apply"];
const undo = ["import-clients", "--undo"];
const init = ["init", "cursor", "goose", "--yes"];
const undoInit = ["init", "--undo"];

describe.skipIf(process.platform !== "linux")("import-clients", { timeout: 180_000 }, () => {
  test("killed at any change of --apply can be undone by --undo", async () => {
    expect(await killEverywhere({ killed: apply, undo })).toBeGreaterThan(10);
  });

  test("killed at any change of --undo is completed by a second --undo", async () => {
    expect(await killEverywhere({ before: apply, killed: undo, undo })).toBeGreaterThan(5);
  });

  test("killed at a change of --apply is completed by a second --apply, and undone by --undo", async () => {
    for (let at = 1; at < 12; at += 2) {
      const { directory, change } = newHome();
      await change(apply, at, true);
      await change(apply);
      expect(readFileSync(path.join(directory, ".cursor/mcp.json"), "utf8")).toContain("--config");
      const { stdout } = await change(undo);
      expect(filesOf(directory), `killed at change ${at}: ${stdout}`).toEqual(clientFiles);
    }
  });
});

describe.skipIf(process.platform !== "linux")("init", { timeout: 180_000 }, () => {
  test("killed at any change of --yes can be undone by --undo", async () => {
    expect(await killEverywhere({ killed: init, undo: undoInit })).toBeGreaterThan(10);
  });

  test("killed at any change of --undo is completed by a second --undo", async () => {
    expect(await killEverywhere({ before: init, killed: undoInit, undo: undoInit })).toBeGreaterThan(5);
  });
});
