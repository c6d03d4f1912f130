import { defaultWorkspace, ToolError, type Change, type Kind, type Ruling, defineKind } from "@toolpacks/core";
import { z } from "zod";

const schema = () =>
  z.object({
    name: z.string().min(1).max(100).describe("the workspace's name or id; kept as its id"),
    purpose: z.string().max(20_000).optional(),
    files: z.array(z.string().min(1).max(1_000)).max(200).optional().describe("key files, most important first"),
    archived: z.string().max(40).optional().meta({ description: "set by closing: when", readOnly: true }),
    note: z.string().max(10_000).optional().meta({ description: "set by closing: why", readOnly: true }),
  });

/**
 * The workspace kind: the purpose and key files of a workspace. The record is stored in the workspace that it describes, under the workspace's id. So
 * each workspace has at most one. A query over every workspace finds them all. Closing archives the workspace.
 */
export const workspace: Kind<ReturnType<typeof schema>> = defineKind({
  name: "workspace",
  description: "What a workspace is for, and its key files.",
  schema,
  indexes: ["name"],
  text: ["name", "purpose", "files"],
  summary: ["name", "purpose", "files", "archived"],
  close: (_record, { now, note }) => ({ archived: now, note }),
  newId: (_record, store) => store.workspace,
  rule,
  keywords: ["project", "context"],
  examples: [{ name: "billing", purpose: "The billing service and its migration.", files: ["docs/plan.md"] }],
});

function rule({ operation, id, after, store }: Change<z.output<ReturnType<typeof schema>>>): Ruling<typeof after> {
  const { workspace: own } = store;
  const name = store.workspaceName(own);
  if (id !== own || ![own, name].includes(after.name)) {
    throw new ToolError(
      "invalid_input",
      `name: this is the workspace ${JSON.stringify(name)}, and its record has that name and the id ${JSON.stringify(own)}`,
      "workspace_create makes another one.",
    );
  }
  if (operation === "close" && own === defaultWorkspace) {
    throw new ToolError("denied", `name: ${defaultWorkspace} always exists, and cannot be archived`);
  }
  if (operation !== "reopen") return { record: { ...after, name: own } };
  const { archived: _archived, note: _note, ...record } = after;
  return { record: { ...record, name: own } };
}
