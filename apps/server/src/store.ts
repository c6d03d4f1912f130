import type { OwnedStore } from "@toolpacks/core";
import type { Settings } from "./config/settings.ts";

export function isPostgres(address: string): boolean {
  return /^postgres(ql)?:\/\//.test(address);
}

/** An address as it may be shown: without the password. */
export function shownAddress(address: string): string {
  return isPostgres(address) ? address.replace(/(:\/\/[^:@/]*):[^@/]*@/, "$1:***@") : address;
}

/** The store that the settings name. Nothing is opened, made or connected to before its first use. */
export async function openStore({ store, workspace }: Pick<Settings, "store" | "workspace">): Promise<OwnedStore> {
  const options = { workspace: workspace.value };
  if (isPostgres(store.value)) return (await import("@toolpacks/store-postgres")).postgres(store.value, options);
  return (await import("@toolpacks/store-sqlite")).sqlite(store.value, options);
}
