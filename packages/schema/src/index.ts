export { detail, detailKeyword, listed, listedKeyword, unlisted, unlistedKeyword } from "./detail.ts";
export { foreignSchema } from "./foreign-schema.ts";
export { isObject } from "./is-object.ts";
export { jsonValue } from "./json-value.ts";
export { slimJsonSchema, toJsonSchema, type JsonSchema } from "./json-schema.ts";
export { closest, nearest } from "./nearest.ts";
export {
  checkObjectSchema,
  checkSchema,
  coreObject,
  fieldNames,
  type ObjectSchema,
  type Schema,
  type SchemaInput,
  type SchemaOutput,
} from "./object-schema.ts";
export { describeIssues } from "./problems.ts";
export { clip, quoteName, visibleJson, visibleText } from "./quote-name.ts";
export { branchesOf, childSchemas, constantsOf, referenced, schemaAt, typesOf } from "./schema-walk.ts";
export { inputSchema, outputSchema, type CheckResult, type PendingPaths, type ToolSchema } from "./schema.ts";
export { exceededMessage, measure, type ValueBounds, type ValueSize } from "./measure.ts";
