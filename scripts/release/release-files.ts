import { readFileSync } from "node:fs";
import path from "node:path";

/** The fields of the server's manifest, and of the workspace's, that the files of a release repeat. */
interface PackageManifest {
  readonly name: string;
  readonly version: string;
  readonly description: string;
  readonly license: string;
  readonly keywords: readonly string[];
  readonly mcpName: string;
  readonly engines: { readonly node: string };
}

interface WorkspaceManifest {
  readonly author: string;
  readonly bugs: string;
  readonly homepage: string;
  readonly repository: { readonly url: string };
}

export const root = path.join(import.meta.dirname, "../..");
const read = (file: string): unknown => JSON.parse(readFileSync(path.join(root, file), "utf8"));

export const server = read("apps/server/package.json") as PackageManifest;
const workspace = read("package.json") as WorkspaceManifest;
const repository = workspace.repository.url.replace(/^git\+|\.git$/g, "");
const title = "Toolpacks";

export const bundleName = `${server.name}-${server.version}.mcpb`;

/** The manifest of the bundle for desktop clients (`.mcpb`). The server is installed beside it with npm. */
export function bundleManifest() {
  const entry = "node_modules/toolpacks/dist/cli.js";
  return {
    manifest_version: "0.3",
    name: server.name,
    display_name: title,
    version: server.version,
    description: server.description,
    author: { name: workspace.author },
    repository: { type: "git", url: repository },
    homepage: workspace.homepage,
    support: workspace.bugs,
    license: server.license,
    keywords: [...server.keywords],
    server: {
      type: "node",
      entry_point: entry,
      mcp_config: { command: "node", args: [`\${__dirname}/${entry}`, "serve", "--root", "${user_config.folder}"] },
    },
    tools_generated: true,
    user_config: {
      folder: {
        type: "directory",
        title: "Folder",
        description: "The folder whose files the tools read and search. No tool changes them.",
        required: true,
      },
    },
    compatibility: { platforms: ["darwin", "win32", "linux"], runtimes: { node: server.engines.node } },
  };
}

/** The entry of the server in the MCP registry (`server.json`). */
export function registryEntry(bundleSha256: string) {
  const transport = { type: "stdio" };
  return {
    $schema: "https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json",
    name: server.mcpName,
    title,
    description: server.description,
    version: server.version,
    websiteUrl: workspace.homepage,
    repository: { url: repository, source: "github", subfolder: "apps/server" },
    packages: [
      {
        registryType: "npm",
        identifier: server.name,
        version: server.version,
        runtimeHint: "npx",
        transport,
        packageArguments: [
          {
            type: "named",
            name: "--root",
            description: "A folder whose files the tools read and search",
            format: "filepath",
            isRequired: true,
            isRepeated: true,
          },
        ],
      },
      {
        registryType: "mcpb",
        identifier: `${repository}/releases/download/v${server.version}/${bundleName}`,
        fileSha256: bundleSha256,
        transport,
      },
    ],
  };
}
