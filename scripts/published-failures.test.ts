import { expect, test } from "vitest";
import { publishedFailures, type PublishedPackage } from "./published-failures.ts";

const complete: PublishedPackage = {
  manifest: {
    name: "@toolpacks/example",
    description: "An example.",
    keywords: ["mcp"],
    license: "MIT",
    author: "The authors",
    homepage: "https://example.org",
    bugs: "https://example.org/issues",
    repository: { type: "git", url: "git+https://example.org/example.git" },
    engines: { node: ">=24" },
    files: ["dist"],
    dependencies: { leven: "^4.1.0" },
    peerDependencies: { zod: "^4.1" },
  },
  readme: "[Docs](https://example.org), [below](#below)",
  files: ["package.json", "README.md", "LICENSE", "dist/index.js"],
};

test("a complete package has no failures", () => {
  expect(publishedFailures(complete)).toEqual([]);
});

test("each missing field, workspace field, exact version, file and relative link is one failure", () => {
  const { repository: _, ...manifest } = complete.manifest;
  const failures = publishedFailures({
    manifest: {
      ...manifest,
      scripts: {},
      dependencies: { leven: "4.1.0", zod: "^4.1" },
      peerDependencies: { zod: "4.1.0" },
    },
    readme: "[Server](../../apps/server/README.md)",
    files: ["package.json", "README.md", "src/index.ts"],
  });
  expect(failures).toEqual([
    'package.json has no "repository"',
    'package.json has "scripts", which only the workspace uses',
    "LICENSE is missing",
    "src/index.ts is published; only dist, README.md and LICENSE are",
    'the dependency leven is "4.1.0"; use a range that begins with ^',
    "zod is a dependency; make it a peer dependency",
    "the peer dependency zod has no range that begins with ^",
    'README.md: the link "../../apps/server/README.md" does not work on npm; use an address that begins with https://',
  ]);
});

test("the server needs its name in the MCP registry and the licenses of what it bundles", () => {
  expect(publishedFailures({ ...complete, manifest: { ...complete.manifest, name: "toolpacks" } })).toEqual([
    'package.json has no "mcpName"',
    "dist/THIRD-PARTY-NOTICES.txt is missing",
  ]);
});
