export { parseYaml } from "@toolpacks/settings/formats";
