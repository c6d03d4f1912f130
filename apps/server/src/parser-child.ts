/** Entry of the child process in which the search pack parses source files. */
import "@toolpacks/search/parser-child";
