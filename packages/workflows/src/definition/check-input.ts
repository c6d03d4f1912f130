import { isObject, ToolError } from "@toolpacks/core";
import { fieldsOf } from "./shorthand.ts";
import type { Workflow } from "./workflow.ts";

/**
 * Validates a workflow's input and fills in its defaults.
 *
 * @throws ToolError `invalid_input` naming each wrong field
 */
export async function checkInput({ name, input }: Workflow, given: unknown = {}): Promise<unknown> {
  if (!isObject(given)) throw new ToolError("invalid_input", "input: expected an object");
  if (input === undefined) return given;
  const json = input.full();
  const defaults = fieldsOf(json).flatMap((one) =>
    "default" in one.schema ? [[one.name, one.schema["default"]] as const] : [],
  );
  const checked = await input.check({ ...Object.fromEntries(defaults), ...given });
  if (checked.ok) return checked.value;
  const hint = `The input of ${name}: ${JSON.stringify(json)}`;
  throw new ToolError("invalid_input", checked.message.replaceAll(/(^|; )(?=\w)/g, "$1input."), hint.slice(0, 1_000));
}
