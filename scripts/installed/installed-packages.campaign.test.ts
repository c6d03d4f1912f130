import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { execFile, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { Readable } from "node:stream";
import { promisify } from "node:util";
import { beforeAll, describe, expect, test } from "vitest";
import type { Manifest } from "../published-failures.ts";
import { projectFiles, programs, readmeCode } from "./readme-code.ts";

const root = path.join(import.meta.dirname, "../..");
const installed = (name: string) => path.join(root, "node-versions/node_modules", name, "bin/node");
const nodes: Readonly<Record<string, string>> = {
  "the lowest Node.js 22": installed("node-22-lowest"),
  "the newest Node.js 22": installed("node-22-newest"),
  "Node.js 24": process.execPath,
  "the newest Node.js 26": installed("node-26-newest"),
};

/** Runs by `pnpm test:packages`, because it installs from the npm registry. */
const isWanted = process.env["TOOLPACKS_INSTALL"] === "1";
const folder = mkdtempSync(path.join(tmpdir(), "toolpacks-installed-"));
const tarballs = path.join(folder, "tarballs");
const manifests = new Map<string, { readonly manifest: Manifest; readonly tarball: string }>();

test("each block of code in a README is run, or has a reason why not", () => {
  for (const [readme, all] of Object.entries(programs)) expect(readmeCode(readme), readme).toHaveLength(all.length);
  const packages = ["packages", "packages/packs", "packages/stores"].flatMap((parent) =>
    readdirSync(path.join(root, parent)).map((name) => `${parent}/${name}`),
  );
  const withCode = packages.filter(
    (one) => existsSync(path.join(root, one, "README.md")) && readmeCode(one).length > 0,
  );
  expect(Object.keys(programs).toSorted()).toEqual(withCode.toSorted());
});

function npm(cwd: string, args: readonly string[]): string {
  // npm runs on this Node.js, which the packages support.
  const env = { ...process.env, PATH: `${path.dirname(process.execPath)}${path.delimiter}${process.env["PATH"]}` };
  const all = [...args, "--no-audit", "--no-fund", "--prefer-offline"];
  return execFileSync("npm", all, { cwd, env, encoding: "utf8", stdio: "pipe", shell: process.platform === "win32" });
}

/** The first match of a pattern in what a stream prints. */
async function firstMatch(stream: Readable, pattern: RegExp): Promise<string> {
  let text = "";
  for await (const chunk of stream.iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    const [found] = pattern.exec(text) ?? [];
    if (found !== undefined) return found;
  }
  throw new Error(`no ${pattern} in: ${text}`);
}

function install(name: string, manifest: object): string {
  const project = path.join(folder, name);
  mkdirSync(project);
  writeFileSync(path.join(project, "package.json"), JSON.stringify({ private: true, type: "module", ...manifest }));
  npm(project, ["install"]);
  return project;
}

function isRegistryReachable(): boolean {
  try {
    npm(folder, ["view", "zod", "version", "--prefer-online", "--fetch-retries=0"]);
    return true;
  } catch {
    console.warn("skipped: the npm registry cannot be reached");
    return false;
  }
}

const isSkipped = !isWanted || !isRegistryReachable();

beforeAll(() => {
  if (isSkipped) return;
  const published = ["--filter", "./packages/**", "--filter", "./apps/*"];
  execFileSync("pnpm", [...published, "pack", "--pack-destination", tarballs], {
    cwd: root,
    stdio: "pipe",
    shell: process.platform === "win32",
  });
  for (const file of readdirSync(tarballs)) {
    const tarball = path.join(tarballs, file);
    const text = execFileSync("tar", ["-xzOf", file, "package/package.json"], { cwd: tarballs, encoding: "utf8" });
    const manifest = JSON.parse(text) as Manifest;
    if (manifest.private !== true) manifests.set(manifest.name, { manifest, tarball });
  }
});

function tarballsOf(isIncluded: (name: string) => boolean): Readonly<Record<string, string>> {
  const all = [...manifests].filter(([name]) => isIncluded(name));
  return Object.fromEntries(all.map(([name, { tarball }]) => [name, `file:${tarball}`]));
}

/** The lowest version that each range of a published package admits. */
function lowestVersions(): Readonly<Record<string, string>> {
  const ranges = [...manifests.values()].flatMap(({ manifest: { dependencies = {}, peerDependencies = {} } }) =>
    Object.entries({ ...dependencies, ...peerDependencies }),
  );
  const others = ranges.filter(([name, range]) => !manifests.has(name) && range.startsWith("^"));
  return Object.fromEntries(others.map(([name, range]) => [name, lowest(range)]));
}

function lowest(range: string): string {
  const [major = "0", minor = "0", patch = "0"] = range.slice(1).split(".");
  return `${major}.${minor}.${patch}`;
}

const readers = ([1, 2] as const).flatMap((sdk) => (["lowest", "highest"] as const).map((end) => ({ sdk, end })));

describe.skipIf(isSkipped).each(readers)("with SDK $sdk and the $end version of each dependency", ({ sdk, end }) => {
  let project: string;
  const { files, typedFiles, prints } = projectFiles(sdk);

  beforeAll(() => {
    const lowestOnes = lowestVersions();
    const versionOf = (name: string, line: string) => (end === "lowest" ? lowestOnes[name] : line);
    const sdkPackages =
      sdk === 1
        ? { "@modelcontextprotocol/sdk": versionOf("@modelcontextprotocol/sdk", "^1") }
        : {
            "@modelcontextprotocol/server": versionOf("@modelcontextprotocol/server", "^2"),
            "@modelcontextprotocol/client": versionOf("@modelcontextprotocol/client", "^2"),
          };
    const own = { zod: versionOf("zod", "^4"), ...sdkPackages };
    const overrides = Object.fromEntries(Object.entries(lowestOnes).filter(([name]) => !(name in own)));
    project = install(`sdk-${sdk}-${end}`, {
      dependencies: { ...tarballsOf((name) => name !== "toolpacks"), ...own },
      ...(end === "lowest" && { overrides }),
    });
  }, 240_000);

  test("the installed versions are those", () => {
    const names = sdk === 1 ? ["zod", "@modelcontextprotocol/sdk"] : ["zod", "@modelcontextprotocol/server"];
    for (const name of names) {
      const manifest = path.join(project, "node_modules", name, "package.json");
      const { version } = JSON.parse(readFileSync(manifest, "utf8")) as { version: string };
      if (end === "lowest") expect(version).toBe(lowestVersions()[name]);
    }
    expect(existsSync(path.join(project, "node_modules/@toolpacks/core/node_modules/zod"))).toBe(false);
  });

  test("the code of the READMEs has the right types", { timeout: 120_000 }, async () => {
    for (const [name, code] of Object.entries(typedFiles)) writeFileSync(path.join(project, name), code);
    const tsc = path.join(root, "node_modules/typescript/bin/tsc");
    // One wrong call shows that types are checked.
    writeFileSync(path.join(project, "wrong.mts"), 'import { sqlite } from "@toolpacks/store-sqlite";\nsqlite(5);\n');
    const { stdout } = await promisify(execFile)(process.execPath, [tsc, "-p", project, "--pretty", "false"]).catch(
      (error: unknown) => ({
        stdout: (error as { readonly stdout?: string }).stdout ?? String(error),
      }),
    );
    expect(stdout.trim().split("\n")).toEqual([expect.stringMatching(/wrong\.mts\(2,8\): error TS2345/)]);
  });

  test.each(Object.keys(nodes))("the code of the READMEs runs on %s", { timeout: 240_000 }, async (name) => {
    const node = nodes[name] ?? "";
    if (!existsSync(node)) return console.warn(`skipped: ${node} is not installed`);
    const failures: string[] = [];
    for (const [program, printed] of prints) {
      // Each program has a folder of its own, because some write a store.
      const cwd = mkdtempSync(path.join(project, "run-"));
      for (const file of ["sdk.mjs", "sample.go", "clock.mjs", program])
        writeFileSync(path.join(cwd, file), files[file] ?? "");
      const { stdout, stderr } = await promisify(execFile)(node, [program], { cwd }).catch((error: unknown) => ({
        stdout: "",
        stderr: String(error),
      }));
      if (!printed.test(stdout)) failures.push(`${program} printed: ${stdout}${stderr}`);
    }
    expect(failures).toEqual([]);
  });
});

describe.skipIf(isSkipped)("the server", () => {
  let project: string;

  beforeAll(() => {
    project = install("server", { dependencies: tarballsOf((name) => name === "toolpacks") });
    writeFileSync(path.join(project, "sample.go"), "package a\n\nfunc Add() {}\n");
  }, 240_000);

  test("installs in at most 27 MB, and runs no install script", () => {
    const modules = path.join(project, "node_modules");
    const sizes = readdirSync(modules, { recursive: true, encoding: "utf8" })
      .map((file) => statSync(path.join(modules, file)))
      .filter((file) => file.isFile())
      .map(({ size }) => size);
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBeLessThan(27e6);
    const lock = readFileSync(path.join(modules, ".package-lock.json"), "utf8");
    expect(lock).toContain("@vscode/ripgrep");
    expect(lock).not.toContain("hasInstallScript");
  });

  test("serves a record over HTTP to the holder of a token", async () => {
    const cli = path.join(project, "node_modules/toolpacks/dist/cli.js");
    const tokens = path.join(project, "tokens.json");
    const options = { cwd: project, encoding: "utf8" } as const;
    const token = execFileSync(process.execPath, [cli, "tokens", "add", "ann", "--file", tokens], options).trim();
    const store = path.join(project, "store.db");
    const serve = ["serve", "--http", "--port", "0", "--surface", "direct", "--tokens", tokens, "--store", store];
    const server = spawn(process.execPath, [cli, ...serve], { cwd: project });
    try {
      const url = await firstMatch(server.stderr, /http:\/\/127\.0\.0\.1:\d+\/mcp/);
      const client = new Client({ name: "test", version: "1" });
      const headers = { Authorization: `Bearer ${token}` };
      await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
      const record = { kind: "note", record: { text: "installed" } };
      expect(await client.callTool({ name: "store_put", arguments: record })).not.toHaveProperty("isError", true);
      const found = await client.callTool({ name: "store_query", arguments: { kind: "note", text: "installed" } });
      expect(JSON.stringify(found.content)).toContain("installed");
      await client.close();
    } finally {
      server.kill();
      await once(server, "exit");
    }
  });

  test.each(Object.keys(nodes))("searches text and code on %s", async (name) => {
    const node = nodes[name] ?? "";
    if (!existsSync(node)) return console.warn(`skipped: ${node} is not installed`);
    const cli = path.join(project, "node_modules/toolpacks/dist/cli.js");
    const call = async (tool: string, args: object) => {
      const all = [cli, "call", tool, JSON.stringify(args), "--root", "."];
      return (await promisify(execFile)(node, all, { cwd: project })).stdout;
    };
    expect(await call("search_text", { pattern: "func", path: "sample.go" })).toContain("3: func Add");
    expect(await call("search_symbols", { path: "sample.go" })).toContain("3 function Add");
  });
});
