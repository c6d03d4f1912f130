import { ToolError, type Change, type Kind } from "@toolpacks/core";
import type { PromptRecord } from "./prompt-kind.ts";
import { argumentNames } from "./template.ts";

const maxArguments = 20;

/**
 * The rule of prompts.
 *
 * @throws ToolError `invalid_input` for arguments that do not fit the text, `conflict` where another open prompt has the name
 */
export async function checkPrompt(change: Change<PromptRecord>, kind: Kind): Promise<void> {
  const { operation, id, after, closed, store } = change;
  if (operation === "delete" || operation === "close") return;
  checkArguments(after);
  if (after.task !== undefined && after.model !== undefined)
    throw new ToolError("invalid_input", "task, model: expected one of them, received both");
  if (closed) return;
  const { items } = await store.query(kind, { filter: { name: after.name }, limit: 2, fields: [] });
  const other = items.find((one) => one.id !== id);
  if (other === undefined) return;
  const hint = "Change that one by its id, or choose another name.";
  throw new ToolError("conflict", `name: the open prompt ${other.id} is named ${after.name} already`, hint);
}

function checkArguments({ text, arguments: described = [] }: PromptRecord): void {
  const inText = argumentNames(text);
  if (inText.length > maxArguments)
    throw new ToolError("invalid_input", `text: expected at most ${maxArguments} arguments`);
  for (const [at, { name }] of described.entries()) {
    if (!inText.includes(name)) {
      const known = inText.length === 0 ? "it has no arguments" : `it has ${inText.join(", ")}`;
      throw new ToolError("invalid_input", `arguments.${at}.name: the text has no {{${name}}}; ${known}`);
    }
    if (described.findIndex((one) => one.name === name) !== at)
      throw new ToolError("invalid_input", `arguments.${at}.name: ${name} is described twice`);
  }
}
