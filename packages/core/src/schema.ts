export { inputSchema, type ToolSchema } from "@toolpacks/schema";
