/**
 * Replaces the SDK's own `_shims` in the bundle. The SDK's default validator is Ajv, which takes a tenth of the start and checks only the answers of
 * users to questions.
 */
export { CfWorkerJsonSchemaValidator as DefaultJsonSchemaValidator } from "@modelcontextprotocol/server/validators/cf-worker";
export { default as process } from "node:process";
