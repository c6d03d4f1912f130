/** The process in which the search pack parses sources. */
import "@toolpacks/search/parser-child";
