export {
  ensureFolderWorkspace,
  findFolderWorkspace,
  joinWorkspace,
  nameInId,
  type FolderWorkspace,
} from "./folder-workspace.ts";
export { isWorkspaceText, openRegistry, type Entry, type Identity, type Registry } from "./registry.ts";
export { repositoryKeyFile } from "./repository-key.ts";
export { findRepository, type Repository } from "./repository.ts";
export { findWorkspace, knownWorkspaces, renderWorkspace, type KnownWorkspace } from "./known-workspaces.ts";
