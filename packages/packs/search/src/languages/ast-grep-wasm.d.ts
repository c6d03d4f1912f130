/** The types of Node include these as types only. */
declare namespace WebAssembly {
  class RuntimeError extends Error {}
  function instantiate(code: Uint8Array, imports: object): Promise<{ readonly instance: { readonly exports: object } }>;
}

/** The JavaScript half of the WebAssembly module. The package's entry imports the other half in a way that needs a bundler. */
declare module "@ast-grep/wasm/wasm_bg.js" {
  export * from "@ast-grep/wasm";
  export function __wbg_set_wasm(exports: object): void;
}
