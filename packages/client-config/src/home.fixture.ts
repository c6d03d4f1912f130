import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Block } from "./entry-formats.ts";
import { applyChange } from "./file-change.ts";
import { findServers } from "./find-servers.ts";
import { knownClients } from "./known-clients.ts";
import { planChanges, planMove } from "./move-servers.ts";
import type { Setup } from "./own-entry.ts";
import { isInstalled, planSetup } from "./plan-setup.ts";
import { undoChanges } from "./undo.ts";

/** Where the tests move servers to, below the home folder. */
export const place = ".config/toolpacks/toolpacks.config.jsonc";

export const bySetup = "toolpacks init";
export const byMove = "toolpacks import-clients";

/** Creates a home folder with these files, and functions that set up its clients, move their servers, and undo that. */
export function homeWith(files: Readonly<Record<string, string | object>> = {}) {
  const home = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-")));
  const project = path.join(home, "project");
  const program = path.join(home, "lib/toolpacks/dist/cli.js");
  const write = (name: string, content: string | object) => {
    mkdirSync(path.dirname(path.join(home, name)), { recursive: true });
    writeFileSync(path.join(home, name), typeof content === "string" ? content : JSON.stringify(content));
  };
  mkdirSync(project);
  write("lib/toolpacks/dist/cli.js", "");
  for (const [name, content] of Object.entries(files)) write(name, content);
  const own = { name: "toolpacks", program, node: process.execPath };
  const setup: Setup = { platform: "linux", home, project, environment: {}, own };
  const record = path.join(home, "data/client-changes.json");
  const read = (name: string) => readFileSync(path.join(home, name), "utf8");
  const problems: string[] = [];
  return {
    home,
    setup,
    record,
    write,
    read,
    /** What could not be read or planned. */
    problems,
    exists: (name: string) => existsSync(path.join(home, name)),
    servers: (name: string) => (JSON.parse(read(name)) as { mcpServers: Record<string, Block> }).mcpServers,
    /** Sets up the clients that are named, else those that are installed. */
    setUp: (
      ids?: readonly string[],
      args: readonly string[] = ["--root", project],
      update = (now: readonly string[]) => now,
    ) => {
      const chosen = knownClients.filter((client) => ids?.includes(client.id) ?? isInstalled(client, setup));
      const plans = chosen.map((client) => planSetup(client, setup, { added: args, update }));
      for (const { change } of plans) if (change !== undefined) applyChange(change, { by: bySetup, record });
      return plans;
    },
    move: () => {
      const reportProblem = (problem: string) => void problems.push(problem);
      const readBlock = (options: object) => ({ options, warnings: [] });
      const found = findServers(setup, { shared: false, readBlock, reportProblem });
      const to = path.join(home, place);
      const plan = planMove(found, to, new Map());
      for (const change of planChanges(plan, setup, () => false)) applyChange(change, { by: byMove, record });
      return plan;
    },
    undo: (by: string) => {
      const lines: string[] = [];
      const isDone = undoChanges(by, { record, machine: setup, report: (line) => void lines.push(line) });
      return { isDone, lines };
    },
    /** Backups, temporary files and the record. */
    leftOver: () =>
      readdirSync(home, { recursive: true, encoding: "utf8" }).filter((name) =>
        /before-toolpacks|\.tmp$|client-changes/.test(name),
      ),
  };
}

/** Every file below a folder. */
export function filesIn(directory: string): Record<string, string> {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = entries.map((entry) => path.join(entry.parentPath, entry.name));
  return Object.fromEntries(paths.map((file) => [path.relative(directory, file), readFileSync(file, "utf8")]));
}

/** Copies a folder, to restore it with the function that is returned. */
export function snapshotOf(directory: string, clear: (directory: string) => void): () => void {
  const copy = mkdtempSync(path.join(tmpdir(), "toolpacks-"));
  cpSync(directory, copy, { recursive: true });
  return () => {
    clear(directory);
    cpSync(copy, directory, { recursive: true });
  };
}
