export { closest, nearest } from "@toolpacks/schema";
