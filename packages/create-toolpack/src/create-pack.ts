import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import type { PackName } from "./pack-name.ts";

export interface PackRequest {
  readonly name: PackName;
  /** Whether the pack keeps records in a store. */
  readonly hasStore: boolean;
  /** Folder in which the folder of the pack is created. */
  readonly parent: string;
  /** Folder of the templates. */
  readonly templates: string;
  /** Versions that replace `catalog:` and `workspace:^`. Undefined in this repository, which resolves these itself. */
  readonly versions?: Readonly<Record<string, string>>;
}

interface Manifest {
  readonly dependencies: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
}

/** Ends the names of template files, so that npm, the linter and the type checker leave them alone. */
const suffix = ".template";

/**
 * Creates the folder of a pack.
 *
 * @returns the new folder
 * @throws Error if the folder exists
 */
export function createPack(request: PackRequest): string {
  const target = path.join(request.parent, request.name.pack);
  if (existsSync(target)) throw new Error(`${target} already exists; choose another name, or remove the folder`);
  const files = packFiles(request);
  mkdirSync(request.parent, { recursive: true });
  mkdirSync(target);
  for (const [file, text] of files) {
    mkdirSync(path.dirname(path.join(target, file)), { recursive: true });
    writeFileSync(path.join(target, file), text);
  }
  return target;
}

function packFiles({ name, hasStore, templates, versions }: PackRequest): ReadonlyMap<string, string> {
  const layers = ["every", hasStore ? "store" : "tools", versions === undefined ? "repository" : "standalone"];
  const files = new Map<string, string>();
  for (const layer of layers) {
    const folder = path.join(templates, layer);
    for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
      if (!entry.isFile()) continue;
      const file = path.join(entry.parentPath, entry.name);
      const target = fill(path.relative(folder, file), name).slice(0, -suffix.length);
      files.set(target, fill(readFileSync(file, "utf8"), name));
    }
  }
  const manifest = JSON.parse(files.get("package.json") ?? "") as Manifest;
  return files.set("package.json", `${JSON.stringify(withVersions(manifest, { hasStore, versions }), undefined, 2)}\n`);
}

function fill(text: string, name: PackName): string {
  return text.replaceAll(/\{\{(package|pack|prefix|identifier)\}\}/g, (_, field: keyof PackName) => name[field]);
}

function withVersions(
  manifest: Manifest,
  { hasStore, versions }: { readonly hasStore: boolean; readonly versions: PackRequest["versions"] },
): Manifest {
  const resolve = (dependencies: Readonly<Record<string, string>>) =>
    Object.fromEntries(
      Object.entries(dependencies)
        .filter(([name]) => hasStore || !name.startsWith("@toolpacks/store"))
        .map(([name, version]) => [name, versions?.[name] ?? version]),
    );
  return {
    ...manifest,
    dependencies: resolve(manifest.dependencies),
    devDependencies: resolve(manifest.devDependencies),
  };
}
