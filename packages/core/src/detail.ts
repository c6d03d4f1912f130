export { detail } from "@toolpacks/schema";
