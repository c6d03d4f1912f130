export {
  checkObjectSchema,
  coreObject,
  fieldNames,
  type ObjectSchema,
  type SchemaInput,
  type SchemaOutput,
} from "@toolpacks/schema";
