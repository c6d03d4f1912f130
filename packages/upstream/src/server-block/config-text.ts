// A separate entry: a start without other servers does not load the block reader.
export { expandVariables, UnsetVariable } from "./expand-variables.ts";
export { resolvePath } from "./resolve-path.ts";
