import type { Grant } from "@toolpacks/core";
import { z } from "zod";

const names = z.array(z.string().min(1).max(200)).max(1000);

export const rateSchema = z.strictObject({
  requests: z.int().min(1).max(1_000_000_000).describe("requests allowed in each period"),
  seconds: z.int().min(1).max(86_400).describe("length of the period in seconds"),
});

/** A limit of requests per period. */
export type Rate = z.output<typeof rateSchema>;

/** What a token or a scope grants. An absent field grants what the settings allow. Nothing here grants more than the settings. */
export const accessSchema = z.strictObject({
  facets: names.optional().describe("packs that may be used; default all, or none beside tools"),
  tools: names.optional().describe("single tools that may be used, in addition to facets"),
  readOnly: z.boolean().optional().describe("refuse all tools that change anything; default false"),
  roots: z
    .array(z.string().min(1).max(4096))
    .max(1000)
    .optional()
    .describe("folders whose files may be accessed, within the server's roots; default the server's roots"),
  workspaces: names
    .min(1)
    .optional()
    .describe(
      "ids of the workspaces that may be opened; a call without a workspace uses the first; default the server's",
    ),
  rate: rateSchema.optional().describe("maximum requests per period; default the server's"),
});

export type Access = z.output<typeof accessSchema>;

/** What a principal may use: what its token or any of its scopes grants. An absent field grants what the settings allow. */
export interface PrincipalAccess extends Pick<Access, "roots" | "workspaces" | "rate"> {
  /** A tool may be used if one of these grants it. */
  readonly grants: readonly Grant[];
}

/** The facets and tools that a grant or an access names. */
export type GrantedNames = Pick<Grant, "facets" | "tools">;

/** Limits how often something may happen. */
export interface RateLimiter {
  /** Counts one event of a key. Not ok: the key has used up its rate of the current period, which ends after `retryAfterMs`. */
  take(key: string, rate: Rate): Promise<RateDecision>;
}

export type RateDecision = { readonly ok: true } | { readonly ok: false; readonly retryAfterMs: number };
