#!/usr/bin/env node
import module from "node:module";

// On before anything else is loaded, so that the next start compiles nothing again. Node 20 has none.
module.enableCompileCache?.();
await import("./main.ts");
