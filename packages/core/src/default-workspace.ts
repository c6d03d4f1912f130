/** The id of the default workspace, which always exists. */
export const defaultWorkspace = "default";
