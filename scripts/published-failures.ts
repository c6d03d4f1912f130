import { noticesFile } from "./third-party-notices.ts";

/** The fields of a published manifest that are checked. */
export interface Manifest {
  readonly name: string;
  readonly private?: boolean;
  readonly exports?: Readonly<Record<string, unknown>>;
  readonly dependencies?: Readonly<Record<string, string>>;
  readonly peerDependencies?: Readonly<Record<string, string>>;
  readonly [field: string]: unknown;
}

/** A package as npm gets it. */
export interface PublishedPackage {
  readonly manifest: Manifest;
  readonly readme: string;
  /** Paths of the files in the tarball, relative to the package. */
  readonly files: readonly string[];
}

const requiredFields = [
  "description",
  "keywords",
  "license",
  "author",
  "homepage",
  "bugs",
  "repository",
  "engines",
  "files",
];
const workspaceFields = ["scripts", "devDependencies"];
const publishedFile = /^(dist\/.+|package\.json|README\.md|LICENSE)$/;
const serverFields = ["mcpName"];
/** Packages that include the code of other packages. */
const bundles: ReadonlySet<string> = new Set(["toolpacks", "@toolpacks/meaning", "@toolpacks/search"]);

/** What a reader on npm or an installation would miss in a package, one line each. */
export function publishedFailures({ manifest, readme, files }: PublishedPackage): readonly string[] {
  const isServer = manifest.name === "toolpacks";
  const fields = isServer ? [...requiredFields, ...serverFields] : requiredFields;
  return [
    ...fields.filter((field) => manifest[field] === undefined).map((field) => `package.json has no "${field}"`),
    ...workspaceFields
      .filter((field) => manifest[field] !== undefined)
      .map((field) => `package.json has "${field}", which only the workspace uses`),
    ...["README.md", "LICENSE", ...(bundles.has(manifest.name) ? [`dist/${noticesFile}`] : [])]
      .filter((file) => !files.includes(file))
      .map((file) => `${file} is missing`),
    ...files
      .filter((file) => !publishedFile.test(file))
      .map((file) => `${file} is published; only dist, README.md and LICENSE are`),
    ...rangeFailures(manifest),
    ...relativeLinks(readme).map(
      (link) => `README.md: the link "${link}" does not work on npm; use an address that begins with https://`,
    ),
  ];
}

function rangeFailures({ dependencies = {}, peerDependencies = {} }: Manifest): readonly string[] {
  const exact = Object.entries(dependencies).filter(([, range]) => !range.startsWith("^"));
  return [
    ...exact.map(([name, range]) => `the dependency ${name} is "${range}"; use a range that begins with ^`),
    ...("zod" in dependencies ? ["zod is a dependency; make it a peer dependency"] : []),
    ...("zod" in peerDependencies && !peerDependencies["zod"]?.startsWith("^")
      ? ["the peer dependency zod has no range that begins with ^"]
      : []),
  ];
}

function relativeLinks(markdown: string): readonly string[] {
  const targets = [...markdown.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target = ""]) => target);
  return targets.filter((target) => !/^(https?:|mailto:|#)/.test(target));
}
