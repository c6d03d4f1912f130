import type { SgNode } from "@ast-grep/napi";
import { ToolError } from "@toolpacks/core";

/** Parses a source on another thread, and answers its outermost node. */
export type Parse = (parser: string, source: string) => Promise<SgNode>;

let loaded: Promise<Parse> | undefined;

/** Loads the parsers, once: the native module takes further languages once only. */
export function loadParser(): Promise<Parse> {
  loaded ??= load().catch((cause: unknown) => {
    loaded = undefined;
    const missing = new ToolError(
      "unavailable",
      "the parsers are not installed where this server runs",
      "Whoever runs the server can install them beside the server: npm install @ast-grep/napi and @ast-grep/lang-*.",
    );
    throw Object.assign(missing, { cause });
  });
  return loaded;
}

async function load(): Promise<Parse> {
  const [napi, c, cpp, go, java, python, rust] = await Promise.all([
    import("@ast-grep/napi"),
    import("@ast-grep/lang-c"),
    import("@ast-grep/lang-cpp"),
    import("@ast-grep/lang-go"),
    import("@ast-grep/lang-java"),
    import("@ast-grep/lang-python"),
    import("@ast-grep/lang-rust"),
  ]);
  napi.registerDynamicLanguage({
    c: c.default,
    cpp: cpp.default,
    go: go.default,
    java: java.default,
    python: python.default,
    rust: rust.default,
  });
  return async (parser, source) => (await napi.parseAsync(parser, source)).root();
}
