import { ensureFolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

process.send?.(ensureFolderWorkspace(openRegistry(process.argv[3] ?? ""), process.argv[2] ?? "").id, () =>
  process.disconnect(),
);
