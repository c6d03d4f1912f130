import { isObject } from "@toolpacks/core";

const forbidden = "__proto__";

/** The problem of a call with an argument `__proto__`. The SDKs would drop the argument and run the call. Undefined for any other message. */
export function forbiddenArgument({ params }: Readonly<Record<string, unknown>>): string | undefined {
  const args = isObject(params) ? params["arguments"] : undefined;
  if (!isObject(args) || !Object.hasOwn(args, forbidden)) return undefined;
  return `params.arguments.${forbidden}: unknown field; no field may have this name`;
}
