import { ensureFolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

process.send?.(ensureFolderWorkspace(openRegistry(), process.argv[2] ?? "").id, () => process.disconnect());
