export { shellQuote } from "@toolpacks/settings";
