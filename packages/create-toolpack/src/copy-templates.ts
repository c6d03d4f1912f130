// Part of the build: copies the templates into dist, with the versions that replace `catalog:` and `workspace:` outside this repository.
import { cpSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

interface Manifest {
  readonly name: string;
  readonly version: string;
}

const folder = path.join(import.meta.dirname, "..");
const repository = path.join(folder, "../..");
const workspace = parse(readFileSync(path.join(repository, "pnpm-workspace.yaml"), "utf8")) as {
  readonly catalog: Readonly<Record<string, string>>;
};
const own = ["packages", "packages/stores"].flatMap((parent) =>
  readdirSync(path.join(repository, parent))
    .map((name) => path.join(repository, parent, name, "package.json"))
    .flatMap((file) => manifestsIn(file)),
);
const versions = { ...workspace.catalog, ...Object.fromEntries(own.map(({ name, version }) => [name, `^${version}`])) };

cpSync(path.join(folder, "templates"), path.join(folder, "dist/templates"), { recursive: true });
writeFileSync(path.join(folder, "dist/versions.json"), JSON.stringify(versions));

function manifestsIn(file: string): readonly Manifest[] {
  try {
    return [JSON.parse(readFileSync(file, "utf8")) as Manifest];
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return [];
    throw error;
  }
}
