import module from "node:module";
import { parse, type AnyNode, type Program } from "acorn";
import type { CodeUse, ParsedCode } from "./protocol.ts";

/** A script is the body of an async function. The line break ends a comment in its last line. */
const [before, after] = ["(async()=>{", "\n})()"];

/** What models write out of habit, and what to do in place of it. */
const absent: Readonly<Record<string, string>> = {
  require: "there are no modules",
  process: "there is no process",
  fetch: "there is no network; call a tool",
  setTimeout: "there are no timers",
  setInterval: "there are no timers",
};

const doors = "A script has tools, store, handles, input, ask and console.";
const noModules = `there are no modules. ${doors}`;

/**
 * Strips the types of a script, parses it, and finds its uses of tools.
 *
 * @returns `js` is an expression whose value is a promise
 * @throws Error when a parser broke, so that the thread must end
 */
export function readScript(code: string): { readonly js: string; readonly parsed: ParsedCode } {
  try {
    const { js, program } = parseBody(code);
    const found = everyNode(program);
    const names = boundNames(found);
    const problems = found.flatMap((node) => problemOf(node, names) ?? []);
    const parsed = [...usesIn(found, names), ...problems].sort((one, other) => one.line - other.line);
    return { js: wrapped(js, program), parsed };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { js: "", parsed: [syntaxProblem(error)] };
  }
}

const syntax = {
  ecmaVersion: "latest",
  locations: true,
  allowReturnOutsideFunction: true,
  allowAwaitOutsideFunction: true,
} as const;

/** @throws SyntaxError */
function parseBody(code: string): { readonly js: string; readonly program: Program } {
  try {
    return { js: code, program: parse(code, syntax) };
  } catch (error) {
    // The parser of types would break.
    if (/call stack|stack space/.test(String(error))) throw new SyntaxError("the code is nested too deep");
    const js = stripTypes(code, error);
    return { js, program: parse(js, syntax) };
  }
}

/** Types become spaces, so that lines and columns stay. @throws SyntaxError */
function stripTypes(code: string, asJs: unknown): string {
  // Node's warning that the function is experimental would keep the process from ending.
  process.removeAllListeners("warning");
  try {
    return module.stripTypeScriptTypes(`${before}${code}${after}`).slice(before.length, -after.length);
  } catch (error) {
    const { code: kind, message } = error as { code?: string; message: string };
    if (kind === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw new SyntaxError(message);
    // The parser of types does not say where. Any other error has broken it, and ends this thread.
    throw kind === "ERR_INVALID_TYPESCRIPT_SYNTAX" ? asJs : error;
  }
}

/** A script that is a single function is called, as other code modes do. */
function wrapped(js: string, { body: [first, second] }: Program): string {
  const only = second === undefined && first?.type === "ExpressionStatement" ? first.expression : undefined;
  if (only?.type !== "ArrowFunctionExpression") return `${before}${js}${after}`;
  return `${before}${js.slice(0, only.start)}return (${js.slice(only.start, only.end)})()${after}`;
}

function syntaxProblem({ message, loc }: SyntaxError & { readonly loc?: { readonly line: number } }) {
  const isModule = message.includes("'import' and 'export'");
  return { line: loc?.line ?? 1, message: isModule ? noModules : message.replace(/ \(\d+:\d+\)$/, "") };
}

interface Found {
  readonly node: AnyNode;
  readonly parent?: AnyNode;
  /** The field of the parent. */
  readonly key?: string;
}

/** All nodes of a tree. */
function everyNode(root: AnyNode): readonly Found[] {
  const found: Found[] = [{ node: root }];
  // The list grows.
  for (const { node } of found)
    for (const [key, value] of Object.entries(node))
      for (const one of [value as unknown].flat())
        if (one instanceof Object && "type" in one) found.push({ node: one as AnyNode, parent: node, key });
  return found;
}

/** The fields that hold a declared name, or a pattern of such names. */
const declaring = /^(?:Variable|Function|Arrow|Class|Catch)\w+\.(?:id|params?)$/;

/** The names that a script declares, and how often. */
function boundNames(found: readonly Found[]): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const patterns = found.filter(({ parent, key }) => declaring.test(`${parent?.type}.${key}`));
  for (const { node, parent, key } of patterns.flatMap((pattern) => everyNode(pattern.node)))
    if (node.type === "Identifier" && !(key === "key" && parent?.type === "Property"))
      names.set(node.name, (names.get(node.name) ?? 0) + 1);
  return names;
}

/** The uses of tools: calls, and names that are taken out of `tools`. */
function usesIn(found: readonly Found[], names: ReadonlyMap<string, number>): readonly CodeUse[] {
  /** The path of each name that stands for tools. `[]` is all tools. */
  const paths = new Map<string, readonly string[]>();
  if (!names.has("tools")) paths.set("tools", []);
  if (!names.has("store")) paths.set("store", ["store"]);
  const pathOf = (node: AnyNode | null | undefined): readonly string[] | undefined => {
    if (node?.type === "Identifier") return paths.get(node.name);
    if (node?.type !== "MemberExpression") return undefined;
    const [path, name] = [pathOf(node.object), nameOf(node.property, node.computed)];
    return path && path.length < 2 && name !== undefined ? [...path, name] : undefined;
  };
  const uses: CodeUse[] = [];
  for (const { node } of found) {
    if (node.type !== "VariableDeclarator" || node.id.type !== "ObjectPattern") continue;
    const path = pathOf(node.init);
    for (const one of node.id.properties) {
      const [name, value] = fieldOf(one) ?? [];
      if (path === undefined || name === undefined) continue;
      uses.push({ path: [...path, name], line: lineOf(one) });
      if (value?.type === "Identifier" && names.get(value.name) === 1) paths.set(value.name, [...path, name]);
    }
  }
  for (const { node } of found) {
    if (node.type !== "CallExpression") continue;
    const { callee, arguments: given } = node;
    const path = pathOf(callee) ?? [];
    if (path.length === 0 || path.join() === "store") continue;
    const line = lineOf(callee.type === "MemberExpression" ? callee.property : callee);
    uses.push({ path, line, args: literalOf(given[0]) });
  }
  return uses;
}

/** What is known of an argument before the script runs. Undefined: nothing. */
function literalOf(node: AnyNode | undefined): CodeUse["args"] {
  const pending: string[][] = [];
  const value = node === undefined ? {} : read(node, [], pending);
  return pending.some(({ length }) => length === 0) ? undefined : { value, pending };
}

function read(node: AnyNode | null, at: readonly string[], pending: string[][]): unknown {
  if (node?.type === "ArrayExpression")
    return node.elements.map((one, index) => read(one, [...at, String(index)], pending));
  const fields = node?.type === "ObjectExpression" ? node.properties.map((one) => fieldOf(one)) : [undefined];
  if (fields.every((field) => field !== undefined))
    return Object.fromEntries(fields.map(([name, value]) => [name, read(value, [...at, name], pending)]));
  if (node?.type === "TemplateLiteral" && node.expressions.length === 0) return node.quasis[0]?.value.cooked ?? "";
  if (node?.type === "UnaryExpression" && node.operator === "-" && node.argument.type === "Literal")
    return -Number(node.argument.value);
  const value = node?.type === "Literal" ? node.value : undefined;
  // A handle stands for a value of any type.
  const isHandle = typeof value === "string" && value.startsWith("relay://");
  if (value === null || (["string", "number", "boolean"].includes(typeof value) && !isHandle)) return value;
  pending.push([...at]);
  // Not null, which would count as absent.
  return "?";
}

/** A field of an object or a pattern. Undefined if its name is known only when the script runs. */
function fieldOf(property: AnyNode): readonly [name: string, value: AnyNode] | undefined {
  if (property.type !== "Property") return undefined;
  const name = nameOf(property.key, property.computed);
  return name === undefined || name === "__proto__" ? undefined : [name, property.value];
}

/** The name of a field. Undefined if it is known only when the script runs. */
function nameOf(key: AnyNode, isComputed: boolean): string | undefined {
  if (key.type === "Identifier") return isComputed ? undefined : key.name;
  return key.type === "Literal" ? String(key.value) : undefined;
}

function problemOf({ node, parent, key }: Found, names: ReadonlyMap<string, number>): ParsedCode[number] | undefined {
  const line = lineOf(node);
  if (node.type === "ImportExpression") return { line, message: noModules };
  if (node.type !== "Identifier" || names.has(node.name) || !Object.hasOwn(absent, node.name)) return undefined;
  const isName = (key === "property" || key === "key") && parent !== undefined && !Reflect.get(parent, "computed");
  const isAsked = parent?.type === "UnaryExpression" && parent.operator === "typeof";
  return isName || isAsked ? undefined : { line, message: `${node.name}: ${absent[node.name]}. ${doors}` };
}

function lineOf(node: AnyNode): number {
  return node.loc?.start.line ?? 1;
}
