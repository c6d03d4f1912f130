export { isObject } from "@toolpacks/schema";
