// A server's block in a client's config file. Hosts that read no such file do not load it.
export { blockSchemas } from "./block-schemas.ts";
export { checkBlock, isDisabled, readBlock, setFields, refusalText, type ReadBlock } from "./server-block.ts";
