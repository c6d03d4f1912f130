import { readFileSync } from "node:fs";
import type { Plugin } from "rolldown";
import { joinNotices, notice, noticesFile, splitNotices } from "../../scripts/third-party-notices.ts";

/**
 * Writes the licenses of the packages whose modules are in the bundle into a file beside it, with the notices of bundled packages that include the code
 * of others themselves.
 */
export function thirdPartyNotices(included: readonly string[]): Plugin {
  return {
    name: "third-party-notices",
    generateBundle(_options, bundle) {
      const modules = Object.values(bundle).flatMap((output) => (output.type === "chunk" ? output.moduleIds : []));
      const folders = new Set(modules.map(packageFolder).filter((folder) => folder !== undefined));
      const others = included.flatMap((file) => splitNotices(readFileSync(file, "utf8")));
      this.emitFile({
        type: "asset",
        fileName: noticesFile,
        source: joinNotices([...[...folders].map(notice), ...others]),
      });
    },
  };
}

/** The folder of the npm package that a module belongs to. Workspace packages are not below node_modules. */
function packageFolder(module: string): string | undefined {
  return /^(?:\0[^/]*)?(.*[\\/]node_modules[\\/](?:@[^\\/]+[\\/])?[^\\/]+)[\\/]/.exec(module)?.[1];
}
