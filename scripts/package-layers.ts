// The law of arrows between packages: a package depends on packages of lower layers only. Tests may use any package.
import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { fileURLToPath } from "node:url";

/** From the bottom to the top. Packages of one layer do not know each other. */
const layers: readonly (readonly string[])[] = [
  ["schema"],
  ["core"],
  ["bounded-io", "files", "store", "terminal"],
  [
    "access",
    "command-line",
    "expressions",
    "meaning",
    "models",
    "replicas",
    "settings",
    "store-sql",
    "telemetry",
    "workspaces",
  ],
  ["meaning-minilm", "relay", "store-postgres", "store-sqlite", "surface", "upstream", "workflows"],
  ["client-config", "host", "tool-commands"],
  [
    "canvas",
    "cases",
    "filesystem",
    "issues",
    "memory",
    "planner",
    "prompts",
    "search",
    "testkit",
    "tracker-sync",
    "undo",
  ],
  ["toolpacks"],
];

/** Packages that import an SDK of MCP. All others work with both lines of the SDK, or none. */
const sdkUsers: ReadonlySet<string> = new Set([
  "access",
  "core",
  "host",
  "replicas",
  "surface",
  "testkit",
  "toolpacks",
  "upstream",
]);

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly bin?: object;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly devDependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
}

const root = fileURLToPath(new URL("..", import.meta.url));
const level = new Map(layers.flatMap((names, at) => names.map((name) => [name, at] as const)));
const failures = globSync("{packages,packages/packs,packages/stores,apps}/*/package.json", { cwd: root }).flatMap(
  (file) => check(path.dirname(file), JSON.parse(readFileSync(path.join(root, file), "utf8")) as Manifest),
);
for (const failure of failures) console.error(failure);
if (failures.length > 0) process.exit(1);

function check(folder: string, manifest: Manifest): readonly string[] {
  const name = short(manifest.name);
  const own = level.get(name);
  const imported = importsOf(folder);
  if (own === undefined) {
    return imported.some(isOurs) ? [`${folder}: it has no layer; add it to scripts/package-layers.ts`] : [];
  }
  const { dependencies, peerDependencies, devDependencies } = manifest;
  // What a command bundles is a dev dependency, and so is a package that is not published.
  const isBundled = (one: string) => manifest.bin !== undefined || one === "@toolpacks/store-sql";
  return imported.flatMap((one) => {
    if (one.startsWith("@modelcontextprotocol/") && !sdkUsers.has(name)) return [`${folder} imports ${one}`];
    if (!isOurs(one) || one === manifest.name) return [];
    const declared = { ...dependencies, ...peerDependencies, ...(isBundled(one) && devDependencies) };
    if (declared[one] === undefined) return [`${folder} imports ${one}, which is not in its dependencies`];
    const other = level.get(short(one));
    return other !== undefined && other < own ? [] : [`${folder} imports ${one}, which is not of a lower layer`];
  });
}

/** The packages that the source of a package imports, without its tests. */
function importsOf(folder: string): readonly string[] {
  const files = globSync("src/**/*.ts", { cwd: path.join(root, folder) });
  const source = files.filter((file) => !/\.(test|fixture)\.ts$|(^|\/)fixture\//.test(file));
  const found = source.flatMap((file) => {
    const text = readFileSync(path.join(root, folder, file), "utf8");
    return [...text.matchAll(/(?:from |import\()\s*"((?:@[\w-]+\/)?[\w.-]+)[^"]*"/g)].map(([, one = ""]) => one);
  });
  return [...new Set(found)].toSorted();
}

function isOurs(name: string): boolean {
  return name.startsWith("@toolpacks/");
}

function short(name: string): string {
  return name.replace("@toolpacks/", "");
}
