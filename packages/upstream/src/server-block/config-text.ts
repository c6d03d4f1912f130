// Apart from the blocks, so that a start without other servers does not load their reader.
export { expandVariables, UnsetVariable } from "./expand-variables.ts";
export { resolvePath } from "./resolve-path.ts";
