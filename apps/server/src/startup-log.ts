import type { Runtime } from "./mount/runtime.ts";
import { version } from "./version.ts";

/** Logs what a runtime mounts and exposes, and the packs that are left out. */
export function logStartup(runtime: Runtime): void {
  const { mounting, log } = runtime;
  logBanner(runtime);
  const missed = mounting.leftOut.filter(({ isOptional }) => isOptional !== true);
  const byReason = Map.groupBy(missed, ({ reason, hint }) => `left out: ${reason}. ${hint}`);
  for (const [why, packs] of byReason) {
    const names = packs.map(({ name }) => name);
    log.info(`${names.join(", ")} ${names.length === 1 ? "is" : "are"} ${why}`);
  }
}

/** Logs the mounted packs, the exposed facets, and the origin of that setting. */
export function logBanner({ surface, settings, mounting, log }: Runtime): void {
  const { facet, expose } = settings;
  const by = facet.value === undefined ? expose : facet;
  const mounted = mounting.packs.map(({ name }) => name).join(", ") || "nothing";
  const exposed = surface.exposed.join(", ") || "nothing";
  const origin = by.source === "default" ? "default" : `${by.source}, ${by.origin}`;
  log.info(`${version}, ${surface.name} surface; mounted: ${mounted}; exposed: ${exposed} (${origin})`);
}
