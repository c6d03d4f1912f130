// A separate entry: what a server needs to plan other servers, before it loads and starts any.
export { isDisabled } from "./server-block/is-disabled.ts";
export { resolvePath } from "./server-block/resolve-path.ts";
export { snakeCase } from "./tool-names.ts";
export { planServers, toolPrefix, type PlannedServer, type TakenNames } from "./servers/plan-servers.ts";
