import { parentPort, workerData } from "node:worker_threads";
import { ensureFolderWorkspace } from "./folder-workspace.ts";
import { openRegistry } from "./registry.ts";

const [folder, registry] = workerData as readonly [string, string];
parentPort?.postMessage(ensureFolderWorkspace(openRegistry(registry), folder).id);
