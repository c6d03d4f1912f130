export { parseToml } from "@toolpacks/settings/formats";
