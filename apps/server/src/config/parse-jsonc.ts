export { parseJsonc } from "@toolpacks/settings/formats";
