/** Entry of the thread in which scripts run. */
import "@toolpacks/workflows/sandbox-worker";
