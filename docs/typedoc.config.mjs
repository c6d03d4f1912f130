import path from "node:path";
import { root } from "../scripts/readme/code-blocks.ts";
import { declarationFiles } from "../scripts/site/api-reference.ts";

/** The API documentation, beside the pages of the built site. The packages must be built first. */
export default {
  name: "Toolpacks API",
  entryPoints: declarationFiles().map((file) => path.join(root, file)),
  tsconfig: path.join(root, "docs/tsconfig.json"),
  out: path.join(root, "docs/.vitepress/dist/api"),
  readme: "none",
  disableSources: true,
  excludePrivate: true,
  excludeInternal: true,
  validation: false,
};
