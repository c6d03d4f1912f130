import type { Intent } from "@toolpacks/core";

/** Names of the call context's fields. A tool on the two-tool surface needs `fromIntent` for a parameter of such a name. */
export const intentFields: readonly (keyof Intent)[] = ["workspaceId", "sessionId", "memory", "goal", "constraints"];
