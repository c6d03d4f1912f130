import type { SgNode } from "@ast-grep/napi";

/** Loads the parsers. Call it once: the native module allows one registration of languages in a process. */
export async function loadParsers(): Promise<(parser: string, source: string) => SgNode> {
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
  return (parser, source) => napi.parse(parser, source).root();
}
