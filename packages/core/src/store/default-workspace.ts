/** The workspace of whoever names none. It is always there, described or not. */
export const defaultWorkspace = "default";
