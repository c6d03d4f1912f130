import { closest, ToolError } from "@toolpacks/core";

type Path = readonly (string | number)[];

const pathPattern = /^[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*|\[\d{1,9}\])*$/;
/** Reserved words of CEL. */
const reserved = new Set(["true", "false", "null", "in"]);

/** The parts of a plain path. Undefined for any other expression. */
export function parsePath(source: string): Path | undefined {
  if (!pathPattern.test(source) || reserved.has(source)) return undefined;
  return source.match(/[A-Za-z0-9_]+/g)?.map((part) => (/^\d/.test(part) ? Number(part) : part));
}

/**
 * The value at a path.
 *
 * @throws ToolError `invalid_input` that names the first missing part and the existing ones
 */
export function followPath(path: Path, values: object, source: string): unknown {
  let value: unknown = values;
  for (const [at, part] of path.entries()) {
    const found = child(value, part);
    if (found === undefined) throw missing(path.slice(0, at + 1), value, source);
    value = found.value;
  }
  return value;
}

function child(value: unknown, part: string | number): { readonly value: unknown } | undefined {
  if (value === null || typeof value !== "object") return undefined;
  if (typeof part === "number" && !Array.isArray(value)) return undefined;
  if (!Object.hasOwn(value, part) || (Array.isArray(value) && typeof part === "string")) return undefined;
  return { value: (value as Record<string | number, unknown>)[part] };
}

function missing(path: Path, parent: unknown, source: string): ToolError {
  const part = String(path.at(-1));
  const where = path
    .slice(0, -1)
    .map((one, at) => (typeof one === "number" ? `[${one}]` : `${at === 0 ? "" : "."}${one}`))
    .join("");
  if (where === "steps") {
    return new ToolError(
      "invalid_input",
      `\${${source}}: there is no result of step ${part}: it has not run, or failed`,
    );
  }
  const of = where === "" ? "expressions" : where;
  const problem = `\${${source}}: ${of} ${where === "" ? "know" : "has"} no ${part}`;
  if (Array.isArray(parent)) return new ToolError("invalid_input", `${problem}: it is a list of ${parent.length}`);
  if (parent === null || typeof parent !== "object") {
    return new ToolError("invalid_input", `${problem}: it is ${parent === null ? "null" : `a ${typeof parent}`}`);
  }
  const known = Object.keys(parent).slice(0, 30);
  const near = closest(part, known);
  const suggestion = near === undefined ? "" : `, did you mean ${near}?`;
  return new ToolError("invalid_input", `${problem}${suggestion} (there is ${known.join(", ") || "nothing"})`);
}
