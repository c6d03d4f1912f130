// Checks each package as it would be published: its manifest with publint, its types with "are the types wrong", its addresses, ranges and links.
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { checkPackage, createPackageFromTarballData, type Package } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { publishedFailures, type Manifest } from "./published-failures.ts";

/** Ways to resolve a module that an ESM package need not support. */
const ignoredResolutions: ReadonlySet<string> = new Set(["node10", "node16-cjs"]);

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-packed-"));
const failures: string[] = [];
try {
  const published = ["--filter", "./packages/**", "--filter", "./apps/*"];
  execFileSync("pnpm", [...published, "pack", "--pack-destination", folder], { cwd: root, stdio: "pipe" });
  for (const file of readdirSync(folder)) failures.push(...(await check(readFileSync(path.join(folder, file)))));
} finally {
  rmSync(folder, { recursive: true });
}
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exit(1);

async function check(packed: Buffer<ArrayBuffer>): Promise<readonly string[]> {
  const tarball = new Uint8Array(packed);
  const contents = createPackageFromTarballData(tarball);
  const name = contents.packageName;
  const manifest = JSON.parse(contents.readFile(`/node_modules/${name}/package.json`)) as Manifest;
  if (manifest.private === true) return [];
  const { messages, pkg } = await publint({ pack: { tarball: tarball.buffer }, strict: true });
  const readme = contents.readFile(`/node_modules/${name}/README.md`);
  const files = contents.listFiles().map((file) => file.slice(`/node_modules/${name}/`.length));
  return [
    ...messages.map((message) => `${name}: ${formatMessage(message, pkg)}`),
    ...publishedFailures({ manifest, readme, files }).map((failure) => `${name}: ${failure}`),
    ...(manifest.exports === undefined ? [] : await checkTypes(contents, Object.keys(manifest.exports))),
  ];
}

async function checkTypes(contents: Package, entrypoints: string[]): Promise<readonly string[]> {
  const result = await checkPackage(contents, { entrypoints });
  if (!result.types) return [`${contents.packageName}: has no types`];
  return result.problems
    .filter((problem) => !("resolutionKind" in problem && ignoredResolutions.has(problem.resolutionKind)))
    .map((problem) => `${contents.packageName}: ${JSON.stringify(problem)}`);
}
