import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { unpackExtension, v0_3 } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { z } from "zod";
import { bundleManifest, bundleName, registryEntry, root } from "./release-files.ts";

test("the manifest of the bundle matches the schema of MCP bundles", () => {
  expect(v0_3.McpbManifestSchema.parse(bundleManifest())).toEqual(bundleManifest());
  expect(v0_3.McpbManifestSchema.safeParse({ ...bundleManifest(), author: "Ada" })).toMatchObject({ success: false });
});

/** The rules of the registry's schema for the fields that are used. The schema itself is in no npm package. */
const transport = z.strictObject({ type: z.literal("stdio") });
const argument = z.strictObject({
  type: z.literal("named"),
  name: z.string().startsWith("--"),
  description: z.string(),
  format: z.enum(["string", "number", "boolean", "filepath"]),
  isRequired: z.boolean(),
  isRepeated: z.boolean(),
});
const version = z.string().regex(/^\d+\.\d+\.\d+$/);
const registrySchema = z.strictObject({
  $schema: z.url(),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal("github"), subfolder: z.string() }),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.literal("toolpacks"),
      version,
      runtimeHint: z.literal("npx"),
      transport,
      packageArguments: z.array(argument),
    }),
    z.strictObject({
      registryType: z.literal("mcpb"),
      identifier: z.url({ protocol: /^https$/, hostname: /^github\.com$/ }),
      fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
      transport,
    }),
  ]),
});

test("server.json follows the rules of the MCP registry", () => {
  const entry = registryEntry("0".repeat(64));
  expect(registrySchema.parse(entry)).toEqual(entry);
  expect(existsSync(path.join(root, entry.repository.subfolder, "package.json"))).toBe(true);
});

// It installs from the npm registry, as `pnpm test:packages` does.
test.skipIf(process.env["TOOLPACKS_INSTALL"] !== "1")(
  "the bundle starts as its manifest says, and server.json has its hash",
  { timeout: 240_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-release-"));
    execFileSync(process.execPath, ["scripts/release/make-release-files.ts", folder], { cwd: root, stdio: "pipe" });
    const file = path.join(folder, bundleName);
    const entry = registrySchema.parse(JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")));
    const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
    expect(entry.packages[1].fileSha256).toBe(sha256);

    const unpacked = path.join(folder, "unpacked");
    await unpackExtension({ mcpbPath: file, outputDir: unpacked, silent: true });
    for (const rg of ["darwin-arm64/bin/rg", "linux-x64/bin/rg", "win32-x64/bin/rg.exe"])
      expect(existsSync(path.join(unpacked, `node_modules/@vscode/ripgrep-${rg}`)), rg).toBe(true);
    const sources = mkdtempSync(path.join(folder, "sources-"));
    writeFileSync(path.join(sources, "a.txt"), "text\n");
    const manifest = v0_3.McpbManifestSchema.parse(
      JSON.parse(readFileSync(path.join(unpacked, "manifest.json"), "utf8")),
    );
    const args = (manifest.server.mcp_config.args ?? []).map((argument) =>
      argument.replace("${__dirname}", unpacked).replace("${user_config.folder}", sources),
    );
    const client = new Client({ name: "desktop", version: "1.0.0" });
    await client.connect(new StdioClientTransport({ command: process.execPath, args, stderr: "ignore" }));
    const found = await client.callTool({
      name: "tool_read",
      arguments: { name: "search_text", args: { pattern: "text" } },
    });
    expect(JSON.stringify(found.content)).toContain("a.txt");
    await client.close();
  },
);
