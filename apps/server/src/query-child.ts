/** Entry of the child process in which `relay_read` runs a query. */
import "@toolpacks/relay/query-child";
