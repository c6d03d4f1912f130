import type { Store } from "./store.ts";

type Around = <T>(call: () => Promise<T>) => Promise<T>;

/**
 * A store whose every call goes to another one.
 *
 * @param to asked at each call, so that it may be another each time
 * @param around what each call is made in
 */
export function delegatedStore(to: () => Store, around: Around = (call) => call()): Store {
  const delegated: Record<keyof Store, unknown> = {
    get workspace() {
      return to().workspace;
    },
    get allowedWorkspaces() {
      return to().allowedWorkspaces;
    },
    in: (workspace: string) => {
      const inside = to().in(workspace);
      return delegatedStore(() => inside, around);
    },
    workspaces: () => around(() => to().workspaces()),
    workspaceName: (workspace: string) => to().workspaceName(workspace),
    put: (...given: Parameters<Store["put"]>) => around(() => to().put(...given)),
    get: (...given: Parameters<Store["get"]>) => around(() => to().get(...given)),
    query: (...given: Parameters<Store["query"]>) => around(() => to().query(...given)),
    close: (...given: Parameters<Store["close"]>) => around(() => to().close(...given)),
    reopen: (...given: Parameters<Store["reopen"]>) => around(() => to().reopen(...given)),
    delete: (...given: Parameters<Store["delete"]>) => around(() => to().delete(...given)),
    transaction: (...given: Parameters<Store["transaction"]>) => around(() => to().transaction(...given)),
    generation: () => around(() => to().generation()),
    watch: (...given: Parameters<Store["watch"]>) => around(() => to().watch(...given)),
    beforeEnd: (...given: Parameters<Store["beforeEnd"]>) => to().beforeEnd(...given),
  };
  return delegated as unknown as Store;
}
