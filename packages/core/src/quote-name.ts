export { quoteName, visibleJson } from "@toolpacks/schema";
