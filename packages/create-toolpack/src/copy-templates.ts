// Part of the build: copies the templates into dist, with the versions that replace `catalog:` and `workspace:` outside this repository.
import { cpSync, globSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { parse } from "yaml";

const folder = path.join(import.meta.dirname, "..");
const repository = path.join(folder, "../..");
const workspace = parse(readFileSync(path.join(repository, "pnpm-workspace.yaml"), "utf8")) as {
  readonly catalog: Readonly<Record<string, string>>;
};
const own = globSync("packages/{,stores/}*/package.json", { cwd: repository }).map((file) => {
  const manifest = readFileSync(path.join(repository, file), "utf8");
  const { name, version } = JSON.parse(manifest) as { readonly name: string; readonly version: string };
  return [name, `^${version}`];
});
const versions = { ...workspace.catalog, ...Object.fromEntries(own) };

cpSync(path.join(folder, "templates"), path.join(folder, "dist/templates"), { recursive: true });
writeFileSync(path.join(folder, "dist/versions.json"), JSON.stringify(versions));
