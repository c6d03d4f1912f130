import module from "node:module";
import { parse, type AnyNode } from "acorn";
import { literalOf } from "./literal.ts";
import type { CodeUse, ParsedCode } from "./protocol.ts";

/** A script is the body of an async function. The line break ends a comment in its last line. */
const [before, after] = ["(async()=>{", "\n})()"];

export interface Script extends ParsedCode {
  /** JavaScript: an expression whose value is a promise. */
  readonly js: string;
}

/** What models write out of habit, and what to do in place of it. */
const absent: Readonly<Record<string, string>> = {
  require: "there are no modules",
  process: "there is no process",
  Buffer: "use texts",
  fetch: "there is no network; call a tool",
  XMLHttpRequest: "there is no network; call a tool",
  WebSocket: "there is no network; call a tool",
  setTimeout: "there are no timers",
  setInterval: "there are no timers",
  setImmediate: "there are no timers",
  Deno: "there is no such runtime",
  Bun: "there is no such runtime",
};

const doors = "A script has tools, store, handles, input, ask and console.";

/** Strips the types of a script, parses it, and finds its uses of tools. @throws Error when a parser broke, so that the thread must end */
export function readScript(code: string): Script {
  try {
    const { js, program } = parseBody(code);
    const found = everyNode(program);
    const names = boundNames(found);
    return { js, uses: usesIn(found, names), problems: found.flatMap((node) => problemOf(node, names)) };
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    return { js: "", uses: [], problems: [syntaxProblem(error, code)] };
  }
}

function parseBody(code: string): { readonly js: string; readonly program: AnyNode } {
  const whole = `${before}${code}${after}`;
  try {
    return parseJs(whole);
  } catch (error) {
    // The parser of types would break.
    if (error instanceof RangeError || String(error).includes("Not enough stack"))
      throw new SyntaxError("the code is nested too deep (1:0)");
    const stripped = stripTypes(whole, error);
    return parseJs(stripped);
  }
}

/** @throws SyntaxError */
function parseJs(js: string): { readonly js: string; readonly program: AnyNode } {
  const program = parse(js, { ecmaVersion: "latest", locations: true });
  const [only, more] = program.body;
  const call = only?.type === "ExpressionStatement" ? only.expression : undefined;
  const made = call?.type === "CallExpression" ? call.callee : undefined;
  if (
    more !== undefined ||
    made?.type !== "ArrowFunctionExpression" ||
    made.start !== 1 ||
    made.body.type !== "BlockStatement"
  )
    throw Object.assign(new SyntaxError("unbalanced brackets (1:0)"), { loc: { line: 1, column: before.length } });
  const [first, second] = made.body.body;
  // A script that is a single function is called, as other code modes do.
  const isFunction =
    second === undefined &&
    first?.type === "ExpressionStatement" &&
    first.expression.type === "ArrowFunctionExpression";
  if (!isFunction) return { js, program };
  const { start, end } = first.expression;
  return { js: `${js.slice(0, start)}return (${js.slice(start, end)})()${after}`, program };
}

/** Types become spaces, so that lines and columns stay. @throws SyntaxError */
function stripTypes(text: string, asJs: unknown): string {
  // Node warns that the function is experimental.
  process.removeAllListeners("warning");
  try {
    return module.stripTypeScriptTypes(text);
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    if (code === "ERR_UNSUPPORTED_TYPESCRIPT_SYNTAX") throw new SyntaxError(`${message} (1:0)`);
    // The parser of types does not say where. Any other error has broken it, and ends this thread.
    throw code === "ERR_INVALID_TYPESCRIPT_SYNTAX" ? asJs : error;
  }
}

function syntaxProblem({ message }: Error, code: string): string {
  const [, what = message, line = "1"] = /^(.*) \((\d+):\d+\)$/s.exec(message) ?? [];
  const isModule = what.includes("'import' and 'export'");
  const last = code.split("\n").length;
  return `line ${Math.min(Number(line), last)}: ${isModule ? `there are no modules. ${doors}` : what}`;
}

/** All nodes of a tree. */
function everyNode(program: AnyNode): readonly Found[] {
  const found: Found[] = [];
  const open: Found[] = [{ node: program }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    found.push(next);
    const { node } = next;
    for (const [key, value] of Object.entries(node))
      for (const one of [value as unknown].flat()) if (isNode(one)) open.push({ node: one, parent: node, key });
  }
  return found;
}

interface Found {
  readonly node: AnyNode;
  readonly parent?: AnyNode;
  /** The field of the parent. */
  readonly key?: string;
}

function isNode(value: unknown): value is AnyNode {
  return typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
}

/** The names that a script declares, and how often. */
function boundNames(found: readonly Found[]): ReadonlyMap<string, number> {
  const names = new Map<string, number>();
  const addPattern = (pattern: AnyNode | null | undefined): void => {
    for (const { node, parent, key } of pattern ? everyNode(pattern) : [])
      if (node.type === "Identifier" && !(key === "key" && parent?.type === "Property"))
        names.set(node.name, (names.get(node.name) ?? 0) + 1);
  };
  for (const { node } of found) {
    if (node.type === "VariableDeclarator" || node.type === "FunctionDeclaration" || node.type === "ClassDeclaration")
      addPattern(node.id);
    if ("params" in node) for (const one of node.params) addPattern(one);
    if (node.type === "CatchClause") addPattern(node.param);
  }
  return names;
}

/** The uses of tools: calls, and names that are taken out of `tools`. */
function usesIn(found: readonly Found[], names: ReadonlyMap<string, number>): readonly CodeUse[] {
  const pathOf = (node: AnyNode | null | undefined, length = 2): readonly string[] | undefined => {
    if (node?.type === "Identifier") {
      if (names.has(node.name)) return undefined;
      return node.name === "tools" ? [] : node.name === "store" ? ["store"] : undefined;
    }
    if (node?.type !== "MemberExpression" || length === 0) return undefined;
    const { property, computed } = node;
    const name =
      property.type === "Identifier" && !computed
        ? property.name
        : property.type === "Literal"
          ? property.value
          : undefined;
    const path = typeof name === "string" ? pathOf(node.object, length - 1) : undefined;
    return path && path.length < 2 ? [...path, String(name)] : undefined;
  };
  const taken = found.flatMap(({ node }) => {
    const path = node.type === "VariableDeclarator" && node.id.type === "ObjectPattern" ? pathOf(node.init) : undefined;
    if (path === undefined || node.type !== "VariableDeclarator" || node.id.type !== "ObjectPattern") return [];
    return node.id.properties.flatMap((one) => {
      if (one.type !== "Property" || one.computed || one.key.type !== "Identifier") return [];
      const as = one.value.type === "Identifier" ? one.value.name : undefined;
      return [{ path: [...path, one.key.name], line: lineOf(one), as }];
    });
  });
  const aliases = new Map(
    taken.flatMap(({ as, path }) => (as !== undefined && names.get(as) === 1 ? [[as, path]] : [])),
  );
  const calls = found.flatMap(({ node }): CodeUse[] => {
    if (node.type !== "CallExpression") return [];
    const { callee, arguments: given } = node;
    const path = callee.type === "Identifier" ? aliases.get(callee.name) : pathOf(callee);
    if (path === undefined || path.length === 0 || (path.length === 1 && path[0] === "store")) return [];
    const args = given[0]?.type === "SpreadElement" ? undefined : literalOf(given[0]);
    return [
      { path, line: lineOf(callee.type === "MemberExpression" ? callee.property : callee), ...(args && { args }) },
    ];
  });
  return [...taken.map(({ path, line }) => ({ path, line })), ...calls].toSorted((one, other) => one.line - other.line);
}

function problemOf({ node, parent, key }: Found, names: ReadonlyMap<string, number>): readonly string[] {
  if (node.type === "ImportExpression") return [`line ${lineOf(node)}: there are no modules. ${doors}`];
  if (node.type !== "Identifier" || names.has(node.name) || !Object.hasOwn(absent, node.name)) return [];
  const isName = key === "property" && parent?.type === "MemberExpression" && !parent.computed;
  const isKey = key === "key" && parent !== undefined && "computed" in parent && !parent.computed;
  const isAsked = parent?.type === "UnaryExpression" && parent.operator === "typeof";
  return isName || isKey || isAsked ? [] : [`line ${lineOf(node)}: ${node.name}: ${absent[node.name]}. ${doors}`];
}

function lineOf(node: AnyNode): number {
  return node.loc?.start.line ?? 1;
}
