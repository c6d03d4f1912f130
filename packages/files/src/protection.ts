import { existsSync, lstatSync, readlinkSync } from "node:fs";
import { realpath } from "node:fs/promises";
import path from "node:path";
import { ToolError, quoteName } from "@toolpacks/core";

/** The paths inside the roots that can be read and not changed. */
export interface ProtectionOptions {
  /**
   * Names that are protected in every folder, with everything below them. A name may have several parts (`.vscode/tasks.json`),
   * and begin with `*` for any beginning (`*.code-workspace`). True means
   * `protectedNames`, false means none. Default true.
   */
  readonly protect?: boolean | readonly string[] | undefined;
  /** Absolute paths of further protected files and folders. `protect: false` does not affect them. They need not exist. */
  readonly protectedPaths?: readonly string[] | undefined;
}

/**
 * What a caller does with an entry. `read`: read it. `write`: write its content or create it as an empty folder. `replace`: move it, delete it or
 * copy over it, with everything below it.
 */
export type Access = "read" | "write" | "replace";

/** The protected names, by who runs code from them: hooks, servers, tasks, plugins and paths of programs. */
const namesByProgram = {
  git: [".git", ".gitconfig", ".husky", ".pre-commit-config.yaml", "lefthook.yml"],
  "this server": ["jsonc", "json", "yaml", "yml", "toml"].map((format) => `toolpacks.config.${format}`),
  containers: [".devcontainer", ".devcontainer.json"],
  "VS Code": ["*.code-workspace", ".vscode/mcp.json", ".vscode/tasks.json", ".vscode/launch.json"],
  "VS Code's extensions": [".vscode/settings.json"],
  "other editors": [".vs/mcp.json", ".idea", ".zed/settings.json", ".zed/tasks.json", ".zed/debug.json"],
  Cursor: [".cursor/mcp.json", ".cursor/hooks.json", ".cursor/environment.json", ".cursor/worktrees.json"],
  "Claude Code": [".mcp.json", ".claude.json", ".claude/settings.json", ".claude/settings.local.json"],
  "Claude's agents": [".claude/hooks", ".claude/agents", ".claude/commands", ".claude/skills", ".claude-plugin"],
  "Copilot CLI": [".github/mcp.json"],
  opencode: [".opencode", "opencode.json", "opencode.jsonc"],
  "other clients": [".codex", ".gemini", ".kiro", ".roo/mcp.json", ".amazonq", ".junie", ".continue", ".windsurf"],
  "direnv and mise": [".envrc", "mise.toml", ".mise.toml"],
  shells: [".bashrc", ".bash_profile", ".profile", ".zshrc", ".zshenv", ".zprofile"],
  npm: [".npmrc", "node_modules/.bin"],
  pnpm: ["pnpm-workspace.yaml", ".pnpmfile.cjs", ".pnpmfile.mjs"],
  Bun: ["bunfig.toml"],
  Yarn: [".yarnrc", ".yarnrc.yml", ".yarn/releases", ".yarn/plugins", ".pnp.cjs", ".pnp.loader.mjs"],
};

/** Files and folders from which git, editors, shells, package managers, MCP clients and this server run code. */
export const protectedNames: readonly string[] = Object.values(namesByProgram).flat();

/** An entry that a caller wants to change. */
interface Changed {
  /** The absolute path as the caller gave it. It may contain a link, such as one named `.git`. */
  readonly lexical: string;
  /** The real path. */
  readonly real: string;
  /** The path as the caller knows it. */
  readonly shown: string;
}

export interface Protection {
  /** Whether a name in a real path is protected. Links that lead there are not looked for. */
  protects(real: string): boolean;
  /** @throws ToolError `denied` that names the rule and the option that allows the change */
  check(changed: Changed, access: Exclude<Access, "read">): Promise<void>;
}

const protectHint =
  'It can be read. To allow changes, the user sets the pack\'s option "protect" to false, or to a list without this name.';
const pathHint = "It can be read. It can be changed outside of this server only.";

/** @throws Error for an invalid name or path */
export function createProtection({ protect = true, protectedPaths = [] }: ProtectionOptions = {}): Protection {
  const names = protect === true ? protectedNames : protect === false ? [] : protect;
  const rules: readonly Rule[] = names.map((name) => ({ name, parts: rulePartsOf(name) }));
  for (const one of protectedPaths) {
    if (!path.isAbsolute(one)) throw new Error(`protectedPaths: expected absolute paths, received ${one}`);
  }
  return {
    protects(real) {
      const parts = partsOf(real);
      return rules.some((rule) => matchRule(rule.parts, parts, "write") !== undefined);
    },
    async check({ lexical, real, shown }, access) {
      const parts = partsOf(real);
      const places = [partsOf(lexical), parts];
      for (const { name, parts: rule } of rules) {
        for (const place of places) {
          const reason = matchRule(rule, place, access);
          if (reason === undefined) continue;
          throw new ToolError("denied", `${quoteName(shown)}: ${reasonText(reason, name)}`, protectHint);
        }
      }
      const linked = await linkedName(rules, real, access);
      if (linked !== undefined) {
        throw new ToolError("denied", `${quoteName(shown)}: ${reasonText("inside", linked)}`, protectHint);
      }
      for (const one of protectedPaths) {
        for (const owned of (await pathsTo(one)).map(partsOf)) {
          if (startsWith(parts, owned)) throw denied(shown, "protected: it belongs to the server's settings");
          if (access === "replace" && startsWith(owned, parts))
            throw denied(shown, "protected: the server's settings are in it");
        }
      }
    },
  };
}

function denied(shown: string, reason: string): ToolError {
  return new ToolError("denied", `${quoteName(shown)}: ${reason}`, pathHint);
}

interface Rule {
  readonly name: string;
  readonly parts: readonly string[];
}

/** Maximum folders above a file in which a protected name is looked for as a link, from the top. Real projects are not nested this deep. */
const maxFolders = 64;

/** The protected name, in a folder above a file, that is a link to the file or to a folder above it. */
async function linkedName(rules: readonly Rule[], file: string, access: Access): Promise<string | undefined> {
  const parts = partsOf(file);
  for (const folder of foldersAbove(file).slice(0, maxFolders)) {
    for (const { name } of existsSync(folder) ? rules : []) {
      if (name.startsWith("*") || !hasLink(folder, name)) continue;
      const target = partsOf(await targetOf(path.join(folder, name)));
      if (startsWith(parts, target) || (access === "replace" && startsWith(target, parts))) return name;
    }
  }
  return undefined;
}

/** The folders above a path, the top one first. */
function foldersAbove(absolute: string): readonly string[] {
  const folders: string[] = [];
  for (let at = absolute; at !== path.dirname(at); at = path.dirname(at)) folders.push(path.dirname(at));
  return folders.reverse();
}

/** Whether a part of a name is a link. The folder itself is a real path. */
function hasLink(folder: string, name: string): boolean {
  let place = folder;
  for (const part of name.split("/")) {
    place = path.join(place, part);
    const stats = lstatSync(place, { throwIfNoEntry: false });
    if (stats === undefined) return false;
    if (stats.isSymbolicLink()) return true;
  }
  return false;
}

/** Where a path leads, also by a link to what does not exist. */
async function targetOf(absolute: string): Promise<string> {
  const real = await realOf(absolute);
  try {
    return await realOf(path.resolve(path.dirname(real), readlinkSync(real)));
  } catch {
    return real;
  }
}

type Match = "inside" | "above";

function reasonText(match: Match, name: string): string {
  if (match === "inside") return `protected as ${name}, from which other programs run code`;
  return `a folder of this name is not moved, replaced or removed, because ${name} is protected`;
}

/**
 * Matches a path with a rule. `inside`: the rule names the path or a parent of it. `above`: the rule names a path below it, which replacing the
 * folder could create. Example: moving a folder to `.vscode` can create `.vscode/tasks.json`.
 */
function matchRule(rule: readonly string[], parts: readonly string[], access: Access): Match | undefined {
  for (let at = 0; at < parts.length; at += 1) {
    if (!matchesPart(rule[0], parts[at])) continue;
    const matched = rule.findIndex((part, offset) => !matchesPart(part, parts[at + offset]));
    if (matched === -1) return "inside";
    if (access === "replace" && at + matched === parts.length) return "above";
  }
  return undefined;
}

function matchesPart(rule: string | undefined, part: string | undefined): boolean {
  if (rule?.startsWith("*") === true) return part?.endsWith(rule.slice(1)) ?? false;
  return rule === part;
}

function rulePartsOf(name: string): readonly string[] {
  const parts = name.split("/");
  if (parts.some((part) => part === "" || part === "." || part === "..")) {
    throw new Error(`protect: expected names such as .git or .vscode/tasks.json, received ${JSON.stringify(name)}`);
  }
  return parts.map(fold);
}

function partsOf(absolute: string): readonly string[] {
  return absolute
    .split(path.sep)
    .filter((part) => part !== "")
    .map(fold);
}

/**
 * Normalizes a name, so that names which are equal on any file system are equal here. Case, compatible forms and invisible characters are
 * ignored on every system, so that a repository has the same protection on each.
 */
function fold(name: string): string {
  return name
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, "")
    .normalize("NFKC")
    .toUpperCase()
    .toLowerCase();
}

function startsWith(parts: readonly string[], start: readonly string[]): boolean {
  return start.length <= parts.length && start.every((part, at) => part === parts[at]);
}

/** All paths to a file: as given, with links in its folder resolved, and with all links resolved. */
async function pathsTo(absolute: string): Promise<readonly string[]> {
  const inRealFolder = path.join(await realOf(path.dirname(absolute)), path.basename(absolute));
  return [...new Set([absolute, inRealFolder, await realOf(absolute)])];
}

/** The real path of a path that need not exist: the real path of its existing part, with the rest added. */
async function realOf(absolute: string): Promise<string> {
  const rest: string[] = [];
  for (let existing = absolute; ; existing = path.dirname(existing)) {
    const real = await realpath(existing).catch(() => undefined);
    if (real !== undefined) return path.join(real, ...rest);
    if (path.dirname(existing) === existing) return absolute;
    rest.unshift(path.basename(existing));
  }
}
