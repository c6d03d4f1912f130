// `node scripts/release/make-release-files.ts [folder]`: writes server.json and the bundle for desktop clients, after a build. Default folder: release.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { packExtension } from "@anthropic-ai/mcpb";
import { bundleManifest, bundleName, registryEntry, root } from "./release-files.ts";

/** Platforms whose ripgrep is in the bundle: npm installs only that of this machine. */
const platforms = ["darwin-arm64", "darwin-x64", "linux-arm64", "linux-x64", "win32-arm64", "win32-x64"];

const folder = path.resolve(process.argv[2] ?? path.join(root, "release"));
const temporary = mkdtempSync(path.join(tmpdir(), "toolpacks-bundle-"));
const shell = process.platform === "win32";
try {
  mkdirSync(folder, { recursive: true });
  const tarballs = path.join(temporary, "tarballs");
  execFileSync("pnpm", ["--filter", "toolpacks", "pack", "--pack-destination", tarballs], {
    cwd: root,
    stdio: "pipe",
    shell,
  });
  const [tarball = ""] = readdirSync(tarballs);
  const bundle = path.join(temporary, "bundle");
  mkdirSync(bundle);
  writeFileSync(path.join(bundle, "package.json"), JSON.stringify({ private: true }));
  installServer(bundle, path.join(tarballs, tarball));
  writeFileSync(path.join(bundle, "manifest.json"), JSON.stringify(bundleManifest(), undefined, 2));
  copyFileSync(path.join(root, "LICENSE"), path.join(bundle, "LICENSE"));
  const file = path.join(folder, bundleName);
  if (!(await packExtension({ extensionPath: bundle, outputPath: file, silent: true })))
    throw new Error("the bundle could not be packed; its manifest may be invalid");
  const sha256 = createHash("sha256").update(readFileSync(file)).digest("hex");
  writeFileSync(path.join(folder, "server.json"), `${JSON.stringify(registryEntry(sha256), undefined, 2)}\n`);
} finally {
  rmSync(temporary, { recursive: true });
}

function installServer(bundle: string, tarball: string): void {
  const install = (packages: readonly string[]) =>
    execFileSync("npm", ["install", "--no-audit", "--no-fund", "--force", ...packages], {
      cwd: bundle,
      stdio: "pipe",
      shell,
    });
  install([tarball]);
  const { optionalDependencies } = JSON.parse(
    readFileSync(path.join(bundle, "node_modules/@vscode/ripgrep/package.json"), "utf8"),
  ) as { readonly optionalDependencies: Readonly<Record<string, string>> };
  install(
    platforms.map((platform) => {
      const name = `@vscode/ripgrep-${platform}`;
      return `${name}@${optionalDependencies[name]}`;
    }),
  );
}
