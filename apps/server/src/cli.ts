#!/usr/bin/env node
import { enableCompileCache } from "node:module";

// On before anything else is loaded, so that the next start compiles nothing again.
enableCompileCache();
await import("./main.ts");
