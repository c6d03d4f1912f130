import { realpathSync } from "node:fs";
import path from "node:path";
import { isDisabled } from "@toolpacks/upstream/config";
import { findConfig } from "../config/config-file.ts";
import type { Edit } from "./json-file.ts";
import type { Block, FoundFile } from "./found-file.ts";

/** Programs and subcommands that precede the name of the started package. */
const starters = new Set(["npx", "bunx", "pnpx", "npm", "pnpm", "yarn", "bun", "node", "dlx", "exec", "x", "cmd", "c"]);

/** Whether a block starts toolpacks, by its name or by the path of its program. Such a block is never moved. */
export function isOurs(block: Block): boolean {
  return commandLine(block).some(
    (word) => word === ownProgram() || /(^|[\\/])toolpacks(@[^\\/]*)?($|[\\/])/.test(word),
  );
}

/** The edit that makes a client start toolpacks with a config file; none when the client does so already. */
export function ourEdit({ at, servers, project }: FoundFile, config: string): readonly Edit[] {
  const own = servers.filter(({ block }) => isOurs(block) && !isDisabled(block));
  if (own.some(({ block }) => configOf(block) === config)) return [];
  const open = own.find(({ block }) => acceptsConfig(block, project));
  if (open !== undefined) {
    return [{ at: [...at, open.name, "args"], value: [...commandLine(open.block).slice(1), "--config", config] }];
  }
  const names = new Set(servers.map(({ name }) => name));
  let name = "toolpacks";
  for (let count = 2; names.has(name); count += 1) name = `toolpacks-${count}`;
  return [{ at: [...at, name], value: ourBlock(config) }];
}

/** Whether a block runs `serve` without a config file and without `--facet`. */
function acceptsConfig(block: Block, project: string | undefined): boolean {
  const [first = "serve", ...words] = ownArguments(block) ?? [];
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
  const words = ownArguments(block) ?? [];
  const at = words.indexOf("--config");
  const config =
    at === -1 ? words.find((word) => word.startsWith("--config="))?.slice("--config=".length) : words[at + 1];
  return config === undefined ? undefined : path.resolve(config);
}

/** The arguments after our name; undefined when the command does not clearly start toolpacks. */
function ownArguments(block: Block): readonly string[] | undefined {
  const words = commandLine(block);
  const at = words.findIndex((word) => !word.startsWith("-") && !starters.has(path.parse(word).name));
  const program = words[at] ?? "";
  const isOwn =
    /(^|[\\/])toolpacks(@[^\\/]*|\.\w+)?$/.test(program) ||
    /[\\/]toolpacks[\\/]dist[\\/]cli\.js$/.test(program) ||
    program === ownProgram();
  return isOwn ? words.slice(at + 1) : undefined;
}

function commandLine({ command, args }: Block): readonly string[] {
  return typeof command === "string" ? [command, ...(Array.isArray(args) ? args : []).map(String)] : [];
}

/** The block that starts toolpacks: this program's path, or npx when this program is in the npx cache, which may be cleared. */
function ourBlock(config: string): Block {
  const program = ownProgram();
  if (program.includes(`${path.sep}_npx${path.sep}`))
    return { command: "npx", args: ["-y", "toolpacks", "--config", config] };
  return { command: process.execPath, args: [program, "--config", config] };
}

function ownProgram(): string {
  return realpathSync(process.argv[1] ?? "");
}
