import { realpathSync } from "node:fs";
import path from "node:path";
import { isDisabled } from "@toolpacks/upstream/server-block";
import { findConfig } from "../config/config-file.ts";
import type { Edit } from "./edited-file.ts";
import type { Block, FoundFile } from "./found-file.ts";

/** Programs and words before the name of what is started. */
const starters = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "node", "dlx", "exec", "x", "cmd", "c"]);

/** Names us somewhere: started by our name, through npx or not, or by the path of our program. Never to be moved behind ourselves. */
export function isOurs(block: Block): boolean {
  return wordsOf(block).some((word) => word === ownProgram() || /(^|[\\/])toolpacks(@[^\\/]*)?($|[\\/])/.test(word));
}

/** How a client's file comes to start us with a config file; undefined where it does so already. */
export function ourEdit({ at, servers, project }: FoundFile, config: string): Edit | undefined {
  const own = servers.filter(({ block }) => isOurs(block) && !isDisabled(block));
  if (own.some(({ block }) => configOf(block) === config)) return undefined;
  const open = own.find(({ block }) => takesConfig(block, project));
  if (open !== undefined) {
    return { at: [...at, open.name, "args"], value: [...wordsOf(open.block).slice(1), "--config", config] };
  }
  const names = new Set(servers.map(({ name }) => name));
  let name = "toolpacks";
  for (let count = 2; names.has(name); count += 1) name = `toolpacks-${count}`;
  return { at: [...at, name], value: ourBlock(config) };
}

/** Serves everything, and gets its config file from nowhere yet. */
function takesConfig(block: Block, project: string | undefined): boolean {
  const [first = "serve", ...words] = ownWords(block) ?? [];
  const env = (block["env"] ?? {}) as Block;
  const { cwd = project } = block;
  return (
    (first === "serve" || first.startsWith("-")) &&
    ![first, ...words].some((word) => /^--(config|facet)(=|$)/.test(word)) &&
    env["TOOLPACKS_CONFIG"] === undefined &&
    (typeof cwd !== "string" || findConfig(cwd) === undefined)
  );
}

function configOf(block: Block): string | undefined {
  const words = ownWords(block) ?? [];
  const at = words.indexOf("--config");
  const given =
    at === -1 ? words.find((word) => word.startsWith("--config="))?.slice("--config=".length) : words[at + 1];
  return given === undefined ? undefined : path.resolve(given);
}

/** What follows our name; undefined where it is not plain that we are started. */
function ownWords(block: Block): readonly string[] | undefined {
  const words = wordsOf(block);
  const at = words.findIndex((word) => !word.startsWith("-") && !starters.has(path.parse(word).name));
  const program = words[at] ?? "";
  const isOwn =
    /(^|[\\/])toolpacks(@[^\\/]*|\.\w+)?$/.test(program) ||
    /[\\/]toolpacks[\\/]dist[\\/]cli\.js$/.test(program) ||
    program === ownProgram();
  return isOwn ? words.slice(at + 1) : undefined;
}

function wordsOf({ command, args }: Block): readonly string[] {
  return typeof command === "string" ? [command, ...(Array.isArray(args) ? args : []).map(String)] : [];
}

/** How a client starts us: as we were started, unless that was from a place that npx will clear away. */
function ourBlock(config: string): Block {
  const program = ownProgram();
  if (program.includes(`${path.sep}_npx${path.sep}`))
    return { command: "npx", args: ["-y", "toolpacks", "--config", config] };
  return { command: process.execPath, args: [program, "--config", config] };
}

function ownProgram(): string {
  return realpathSync(process.argv[1] ?? "");
}
