import { globSync, readFileSync } from "node:fs";
import path from "node:path";
import { root } from "../readme/code-blocks.ts";

interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly description?: string;
  readonly exports?: Readonly<Record<string, { readonly "@toolpacks/source"?: string; readonly types?: string }>>;
}

/** Renders the table of published packages with their entry points. TypeDoc describes what each of them exports. */
export function renderApi(): string {
  const rows = publishedPackages().map(({ folder, manifest: { name, description, exports = {} } }) => {
    const entries = Object.keys(exports).map((entry) => `\`${name}${entry.slice(1)}\``);
    return `| [\`${name}\`](../../${folder}/README.md)<br>${description ?? ""} | ${entries.join("<br>")} |`;
  });
  return `# API

The published packages and their entry points. Every exported function, class and type is in the
<a href="/toolpacks/api/index.html" target="_self">API documentation</a>, which TypeDoc makes from the types.

| package | entry points |
| --- | --- |
${rows.join("\n")}
`;
}

/** The declaration files of all entry points, from the repository's root. The packages must be built first. */
export function declarationFiles(): readonly string[] {
  return publishedPackages().flatMap(({ folder, manifest: { exports = {} } }) =>
    Object.values(exports).flatMap(({ types }) => (types === undefined ? [] : [path.posix.join(folder, types)])),
  );
}

function publishedPackages(): readonly { readonly folder: string; readonly manifest: Manifest }[] {
  return globSync("packages/{,packs/,stores/}*/package.json", { cwd: root })
    .map((file) => file.replaceAll(path.sep, "/"))
    .sort()
    .map((file) => ({
      folder: path.posix.dirname(file),
      manifest: JSON.parse(readFileSync(path.join(root, file), "utf8")) as Manifest,
    }))
    .filter(({ manifest }) => manifest.private !== true);
}
