// Checks each package as it would be published: its manifest with publint, its types with attw.
import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { formatMessage } from "publint/utils";

const root = fileURLToPath(new URL("..", import.meta.url));
const folders = ["packages", "packages/packs", "packages/stores", "apps"].flatMap((parent) =>
  readdirSync(path.join(root, parent)).map((name) => path.join(root, parent, name)),
);
let failures = 0;

for (const folder of folders) {
  const manifest = readManifest(folder);
  if (manifest === undefined || manifest.private === true) continue;
  const { messages } = await publint({ pkgDir: folder, pack: "npm", strict: true });
  for (const message of messages) {
    failures += 1;
    console.error(`${manifest.name}: ${formatMessage(message, manifest)}`);
  }
  if (manifest.publishConfig?.exports !== undefined) checkTypes(manifest, folder);
}
if (failures > 0) process.exit(1);

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  /** What is published in place of the workspace's own `exports`. */
  readonly publishConfig?: { readonly exports?: Readonly<Record<string, unknown>> };
}

function readManifest(folder: string): Manifest | undefined {
  try {
    return JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as Manifest;
  } catch {
    return undefined;
  }
}

function checkTypes({ name, publishConfig }: Manifest, folder: string): void {
  const entrypoints = Object.keys(publishConfig?.exports ?? {});
  try {
    execFileSync(
      "attw",
      ["--pack", folder, "--profile", "esm-only", "--format", "ascii", "--entrypoints", ...entrypoints],
      { stdio: "pipe" },
    );
  } catch (error) {
    failures += 1;
    console.error(`${name}: ${error instanceof Error && "stdout" in error ? String(error.stdout) : String(error)}`);
  }
}
