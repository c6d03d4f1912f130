import { readFileSync } from "node:fs";
import path from "node:path";

const workspace = import.meta.dirname;
const { author, bugs, repository } = JSON.parse(readFileSync(path.join(workspace, "package.json"), "utf8"));

/** Returns the manifest that is published: with the workspace's author and addresses, without what only this repository uses. */
function beforePacking(manifest, folder) {
  const directory = path.relative(workspace, folder).replaceAll(path.sep, "/");
  return {
    ...manifest,
    scripts: undefined,
    devDependencies: undefined,
    author,
    homepage: `${repository.url.replace(/^git\+|\.git$/g, "")}/tree/main/${directory}#readme`,
    bugs,
    repository: { ...repository, directory },
  };
}

export const hooks = { beforePacking };
