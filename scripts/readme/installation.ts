import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { root } from "./code-blocks.ts";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: unknown;
  readonly publishConfig?: { readonly exports?: unknown };
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const parents = ["packages", "packages/packs", "packages/stores"];
/** Packages that the examples import and that are not dependencies of our packages. */
const servers = ["@modelcontextprotocol/server", "@modelcontextprotocol/sdk", "@modelcontextprotocol/client"];

/**
 * Creates a folder with the published packages installed as for a user: built, with the published exports, and with the user's version of zod.
 * The packages must be built first.
 *
 * @param zod alias of the zod version in packages/core: `zod-lowest`
 */
export function installWith(zod: string): string {
  const folder = realpathSync(mkdtempSync(path.join(tmpdir(), "toolpacks-install-")));
  const modules = path.join(folder, "node_modules");
  const core = path.join(root, "packages/core");
  link(path.join(core, "node_modules", zod), path.join(modules, "zod"));
  for (const name of servers) link(path.join(core, "node_modules", name), path.join(modules, name));
  for (const name of ["vitest", "@types/node"]) link(path.join(root, "node_modules", name), path.join(modules, name));
  for (const source of publishedFolders()) install(source, modules);
  writeFileSync(path.join(folder, "package.json"), '{ "type": "module" }');
  return folder;
}

function publishedFolders(): readonly string[] {
  return parents
    .flatMap((parent) => readdirSync(path.join(root, parent)).map((name) => path.join(root, parent, name)))
    .filter((folder) => existsSync(path.join(folder, "package.json")) && manifestOf(folder).private !== true);
}

function install(source: string, modules: string): void {
  const manifest = manifestOf(source);
  const target = path.join(modules, manifest.name);
  mkdirSync(target, { recursive: true });
  cpSync(path.join(source, "dist"), path.join(target, "dist"), { recursive: true });
  const published = { ...manifest, exports: manifest.publishConfig?.exports };
  writeFileSync(path.join(target, "package.json"), JSON.stringify(published));
  for (const name of Object.keys(manifest.dependencies ?? {})) {
    if (!name.startsWith("@toolpacks/")) link(path.join(source, "node_modules", name), path.join(modules, name));
  }
}

function manifestOf(folder: string): Manifest {
  return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
}

function link(from: string, to: string): void {
  if (existsSync(to)) return;
  mkdirSync(path.dirname(to), { recursive: true });
  symlinkSync(realpathSync(from), to);
}
