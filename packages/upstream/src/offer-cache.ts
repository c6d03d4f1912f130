import { createHash } from "node:crypto";
import path from "node:path";
import { readPrivateFile, writePrivateFile } from "@toolpacks/core/private-files";
import { z } from "zod";
import { offerSchema, type Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";

const file = z.object({ format: z.literal(1), offer: offerSchema });

/** What a server offered when it was last asked, on disk. */
export interface OfferCache {
  /** Undefined where there is none, or none that can be used. */
  read(): Promise<Offer | undefined>;
  /** Never rejects: a cache that cannot be written costs a start, not a call. */
  write(offer: Offer): Promise<void>;
}

export function createOfferCache(directory: string, plan: UpstreamPlan): OfferCache {
  const place = path.join(directory, `${plan.name}-${targetHash(plan)}.json`);
  return {
    async read() {
      try {
        return file.parse(JSON.parse((await readPrivateFile(place)).toString())).offer;
      } catch {
        return undefined;
      }
    },
    async write(offer) {
      await writePrivateFile(place, JSON.stringify({ format: 1, offer } satisfies z.input<typeof file>)).catch(
        () => {},
      );
    },
  };
}

/** Tells what is started or connected to: another version, address or folder may offer other tools. Of the environment, only the names. */
export function targetHash(plan: UpstreamPlan): string {
  const target =
    "command" in plan
      ? [plan.command, plan.args, plan.cwd, Object.keys(plan.env).sort()]
      : [plan.url, Object.keys(plan.headers).sort()];
  return shortHash(JSON.stringify(target));
}

/** For the name of a file. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
