import { createHash } from "node:crypto";
import path from "node:path";
import { readPrivateFile, writePrivateFile } from "@toolpacks/files";
import { z } from "zod";
import { callerSuffix } from "./file-state.ts";
import { offerSchema, type Offer } from "./offer.ts";
import type { UpstreamPlan } from "./options.ts";

const file = z.object({ format: z.literal(1), offer: offerSchema });

/** The last offer of a server to a caller, on disk. It is not shared between machines: a replica without it asks the server. */
export interface OfferCache {
  /** Undefined when there is none, or it is invalid. */
  read(): Promise<Offer | undefined>;
  /** Never rejects: without a cache the next start is only slower. */
  write(offer: Offer): Promise<void>;
}

export function createOfferCache(directory: string, plan: UpstreamPlan): OfferCache {
  const filePath = path.join(directory, `${plan.name}-${targetHash(plan)}${callerSuffix(plan.caller)}.json`);
  return {
    async read() {
      try {
        return file.parse(JSON.parse((await readPrivateFile(filePath)).toString())).offer;
      } catch {
        return undefined;
      }
    },
    async write(offer) {
      await writePrivateFile(filePath, JSON.stringify({ format: 1, offer } satisfies z.input<typeof file>)).catch(
        () => {},
      );
    },
  };
}

/** A hash of the command or address: another version, address or folder may offer other tools. Of variables and headers, only the names count. */
export function targetHash(plan: UpstreamPlan): string {
  return shortHash(JSON.stringify(targetOf(plan)));
}

function targetOf(plan: UpstreamPlan): readonly unknown[] {
  if ("command" in plan) return [plan.command, plan.args, plan.cwd, Object.keys(plan.env).sort()];
  return "url" in plan ? [plan.url, Object.keys(plan.headers).sort()] : [];
}

/** A short hash for file names. */
export function shortHash(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}
