export { ConfigurationError } from "@toolpacks/settings";
