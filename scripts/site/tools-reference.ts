import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { wordsInPack } from "../../packages/tool-commands/src/tool-words.ts";
import { root } from "../readme/code-blocks.ts";
import { cell } from "./config-reference.ts";

/** A tool as its committed snapshot has it. */
interface Snapshot {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: {
    readonly properties?: Readonly<Record<string, Argument>>;
    readonly required?: readonly string[];
  };
  readonly annotations?: { readonly readOnlyHint?: boolean; readonly destructiveHint?: boolean };
}

interface Argument {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly enum?: readonly unknown[];
}

/** Packs whose tools the server mounts, with the folder of their snapshots. */
const packs = [
  ["core", "packages/surface/snapshots/core"],
  ["store", "packages/packs/planner/snapshots/store"],
  ["relay", "packages/relay/snapshots"],
  ["filesystem", "packages/packs/filesystem/snapshots"],
  ["search", "packages/packs/search/snapshots"],
  ["canvas", "packages/packs/canvas/snapshots"],
  ["prompts", "packages/packs/prompts/snapshots"],
  ["tracker-sync", "packages/packs/tracker-sync/snapshots"],
  ["issues", "packages/packs/issues/snapshots"],
  ["memory", "packages/packs/memory/snapshots"],
  ["undo", "packages/packs/undo/snapshots"],
  ["workflows", "packages/workflows/snapshots"],
] as const;

/** Renders the snapshots of the packs' tools as a page. */
export function renderTools(): string {
  const sections = packs.map(([pack, folder]) => {
    const tools = snapshotsIn(folder).map((tool) => ({ ...tool, pack }));
    const rendered = tools.map((tool) => renderTool(tool, `toolpacks ${pack} ${wordsInPack(tool, tools)}`));
    return `## ${pack}\n\n${rendered.join("\n\n")}`;
  });
  const about =
    "The tools of the bundled packs, as a client gets them, and [their commands](../command-line.md#tools-as-commands): each argument is a flag.";
  return ["# Tools", about, ...sections, ""].join("\n\n");
}

function snapshotsIn(folder: string): readonly Snapshot[] {
  const files = globSync("*.json", { cwd: path.join(root, folder) }).sort();
  const parsed = files.map((file) => JSON.parse(readFileSync(path.join(root, folder, file), "utf8")) as Snapshot);
  if (parsed.length === 0) throw new Error(`${folder}: no snapshots`);
  return parsed.filter(({ inputSchema }) => inputSchema !== undefined);
}

function renderTool({ name, description, inputSchema, annotations }: Snapshot, command: string): string {
  const effect = annotations?.readOnlyHint
    ? "reads"
    : annotations?.destructiveHint
      ? "may delete or replace"
      : "changes";
  const rows = Object.entries(inputSchema.properties ?? {}).map(
    ([argument, { type = "any", enum: values, description: meaning = "" }]) =>
      `| \`${argument}\`<br>${cell(
        values === undefined ? [type].flat().join(" or ") : values.map((value) => `\`${String(value)}\``).join(" or "),
      )}${inputSchema.required?.includes(argument) ? ", required" : ""} | ${cell(meaning)} |`,
  );
  const table = rows.length === 0 ? "No arguments." : `| argument | meaning |\n| --- | --- |\n${rows.join("\n")}`;
  return `### ${name}\n\n${cell(description)} (${effect}; \`${command}\`)\n\n${table}`;
}
