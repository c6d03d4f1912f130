import type { Pack } from "@toolpacks/core";
import type { ConnectOptions, PackConnection } from "./connection.ts";

/** The SDKs and protocol versions that a pack must work with. */
export const hosts = ["sdk 1", "sdk 2, protocol 2025", "sdk 2, protocol 2026-07-28"] as const;

export type Host = (typeof hosts)[number];

/** Registers a pack on a real server of the host's SDK and connects a real client to it, in this process. */
export async function connectPack(pack: Pack, host: Host, options?: ConnectOptions): Promise<PackConnection> {
  if (host === "sdk 1") return (await import("./sdk-1.ts")).connectSdk1(pack, options);
  const { connectSdk2 } = await import("./sdk-2.ts");
  return connectSdk2(host === "sdk 2, protocol 2025" ? "2025" : "2026-07-28", pack, options);
}
