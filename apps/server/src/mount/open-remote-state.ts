import type { OwnedStore } from "@toolpacks/core";
import type { RemoteState } from "@toolpacks/upstream";
import type { Settings } from "../config/settings.ts";
import { storeDriver } from "../stores/open-store.ts";

/** The storage of accepted tools and sign-ins in a store that several machines share. Undefined: they are in files of the user's data folder. */
export async function openRemoteState(settings: Settings, store: OwnedStore): Promise<RemoteState | undefined> {
  if (!storeDriver(settings.store).isShared) return undefined;
  const { createStoredState, openSecretBox } = await import("@toolpacks/upstream/shared-state");
  return createStoredState({ store: store.internal(), openBox: () => openSecretBox(settings.io.env) });
}

/** Checks, before a user signs in, that the sign-in can be stored. @throws ConfigurationError */
export async function requireSecretKey(settings: Settings): Promise<void> {
  if (storeDriver(settings.store).isShared)
    (await import("@toolpacks/upstream/shared-state")).openSecretBox(settings.io.env);
}
