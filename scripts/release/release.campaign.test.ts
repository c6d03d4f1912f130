import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, existsSync, globSync, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { unpackExtension, v0_3 } from "@anthropic-ai/mcpb";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { expect, test } from "vitest";
import { bundleName, root, type registryEntry } from "./release-files.ts";

interface Versioned {
  readonly version: string;
  readonly private?: boolean;
}

test("changeset version gives new packages the version 0.1.0, and no package a new major version", () => {
  const copy = mkdtempSync(path.join(tmpdir(), "toolpacks-versions-"));
  const manifests = globSync("{packages,apps,examples}/**/package.json", {
    cwd: root,
    exclude: (name) => name === "node_modules" || name === "dist",
  });
  for (const file of ["package.json", "pnpm-workspace.yaml", "pnpm-lock.yaml", ".changeset", ...manifests]) {
    mkdirSync(path.dirname(path.join(copy, file)), { recursive: true });
    cpSync(path.join(root, file), path.join(copy, file), { recursive: true });
  }
  execFileSync("git", ["init", "--quiet"], { cwd: copy });
  const changeset = path.join(root, "node_modules/@changesets/cli/bin.js");
  execFileSync(process.execPath, [changeset, "version"], { cwd: copy, stdio: "pipe" });
  const read = (folder: string, file: string) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as Versioned;
  const published = manifests.filter((file) => read(root, file).private !== true);
  expect(published.length).toBeGreaterThan(10);
  for (const file of published) {
    const [before, after] = [read(root, file).version, read(copy, file).version];
    expect(after, file).toMatch(before === "0.0.0" ? /^0\.1\.0$/ : new RegExp(`^${before.split(".")[0]}\\.`));
  }
});

// It installs from the npm registry, as `pnpm test:packages` does.
test.skipIf(process.env["TOOLPACKS_INSTALL"] !== "1")(
  "the bundle starts as its manifest says, and server.json has its hash",
  { timeout: 240_000 },
  async () => {
    const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-release-"));
    execFileSync(process.execPath, ["scripts/release/make-release-files.ts", folder], { cwd: root, stdio: "pipe" });
    const file = path.join(folder, bundleName);
    const entry = JSON.parse(readFileSync(path.join(folder, "server.json"), "utf8")) as ReturnType<
      typeof registryEntry
    >;
    const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
    expect(entry.packages[1]).toMatchObject({ fileSha256: sha256 });

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
