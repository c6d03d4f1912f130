import { ToolError } from "@toolpacks/core";
import { makePrivateFolder } from "@toolpacks/core/private-files";

/** Creates the folder of a store. @throws ToolError `unavailable` naming the folder that cannot be created */
export function makeFolder(folder: string): void {
  try {
    makePrivateFolder(folder);
  } catch (error) {
    const { code = "unknown", path: place = folder } = error as NodeJS.ErrnoException;
    throw new ToolError(
      "unavailable",
      `the store: its folder ${place} cannot be made (${code})`,
      "Name another place.",
    );
  }
}
