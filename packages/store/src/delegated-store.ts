import type { Store } from "@toolpacks/core";

type CallWrapper = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * A store that forwards each call to another store.
 *
 * @param to returns the target store; called for each call
 * @param wrap runs each call, for example with a deadline
 */
export function delegatedStore(to: () => Store, wrap: CallWrapper): Store {
  const delegated: Record<keyof Store, unknown> = {
    get workspace() {
      return to().workspace;
    },
    get allowedWorkspaces() {
      return to().allowedWorkspaces;
    },
    in: (workspace: string) => {
      const inside = to().in(workspace);
      return delegatedStore(() => inside, wrap);
    },
    workspaces: () => wrap(() => to().workspaces()),
    workspaceName: (workspace: string) => to().workspaceName(workspace),
    put: (...args: Parameters<Store["put"]>) => wrap(() => to().put(...args)),
    get: (...args: Parameters<Store["get"]>) => wrap(() => to().get(...args)),
    query: (...args: Parameters<Store["query"]>) => wrap(() => to().query(...args)),
    close: (...args: Parameters<Store["close"]>) => wrap(() => to().close(...args)),
    reopen: (...args: Parameters<Store["reopen"]>) => wrap(() => to().reopen(...args)),
    delete: (...args: Parameters<Store["delete"]>) => wrap(() => to().delete(...args)),
    transaction: (...args: Parameters<Store["transaction"]>) => wrap(() => to().transaction(...args)),
    generation: () => wrap(() => to().generation()),
    watch: (...args: Parameters<Store["watch"]>) => wrap(() => to().watch(...args)),
    beforeEnd: (...args: Parameters<Store["beforeEnd"]>) => to().beforeEnd(...args),
  };
  return delegated as unknown as Store;
}
