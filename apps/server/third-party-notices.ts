import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import type { Plugin } from "rolldown";

const fileName = "THIRD-PARTY-NOTICES.txt";
const licenseName = /^(licen[cs]e|notice|copying)/i;

/** Writes the licenses of the packages whose modules are in the bundle into a file beside it. */
export function thirdPartyNotices(): Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const notices = new Set([...folders].map(notice));
      this.emitFile({ type: "asset", fileName, source: [...notices].toSorted().join(`\n${"-".repeat(80)}\n\n`) });
    },
  };
}

/** The folder of the npm package that a module belongs to. Workspace packages are not below node_modules. */
function packageFolder(module: string): string | undefined {
  return /^(?:\0[^/]*)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(module)?.[1];
}

function notice(folder: string): string {
  const manifest = JSON.parse(readFileSync(path.join(folder, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly license?: string;
  };
  const files = readdirSync(folder, { withFileTypes: true });
  const texts = files
    .filter((file) => file.isFile() && licenseName.test(file.name))
    .map((file) => readFileSync(path.join(folder, file.name), "utf8").trim());
  if (manifest.license === undefined && texts.length === 0)
    throw new Error(`${manifest.name} is bundled and names no license`);
  return `${manifest.name} ${manifest.version}\nLicense: ${manifest.license ?? "see below"}\n\n${texts.join("\n\n")}\n`;
}
