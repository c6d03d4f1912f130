export { toJsonSchema, type JsonSchema } from "@toolpacks/schema";
