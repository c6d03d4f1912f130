export { ConfigurationError } from "@toolpacks/core";
