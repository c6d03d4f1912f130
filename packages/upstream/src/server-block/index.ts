// A separate entry: hosts that read no client config do not load it.
export { addressFields, blockSchemas } from "./block-schemas.ts";
export { checkBlock, readBlock, setFields, refusalText, type ReadBlock } from "./server-block.ts";
