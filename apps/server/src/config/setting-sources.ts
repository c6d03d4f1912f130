import path from "node:path";
import { surfaceNames } from "@toolpacks/surface";
import { oneOf, splitNames, type SettingSources } from "@toolpacks/settings";
import { isWorkspaceText } from "@toolpacks/workspaces";
import { logLevels } from "../log.ts";
import { resolveStoreAddress, storeAddressProblem } from "../stores/store-address.ts";
import type { Config } from "./config-schema.ts";

const resolveAll = (paths: readonly string[], base: string) => paths.map((one) => path.resolve(base, one));

/** Where each setting may be set, and its default. */
export const settingSources = {
  surface: { variable: oneOf(surfaceNames), fallback: "discovery" },
  expose: { variable: splitNames, fallback: undefined },
  deny: { fallback: [] as readonly string[] },
  facet: { fallback: undefined },
  roots: {
    flag: "root",
    variable: (text) => text.split(path.delimiter).filter(Boolean),
    resolve: resolveAll,
    fallback: [],
  },
  clientRoots: {
    resolve: (allowed, base) => (typeof allowed === "boolean" ? allowed : resolveAll(allowed, base)),
    fallback: true,
  },
  store: {
    variable: (text) => text,
    resolve: resolveStoreAddress,
    problem: storeAddressProblem,
    fallback: undefined,
  },
  workspace: {
    variable: (text) => text,
    problem: (id) =>
      isWorkspaceText(id) ? undefined : "expected 1 to 100 characters, none of them a control character",
    fallback: undefined,
  },
  workspaces: { fallback: "own" },
  maxWorkspaceBytes: { fallback: undefined },
  write: { fallback: false },
  readOnly: { fallback: false },
  relay: { fallback: undefined },
  results: { fallback: undefined },
  autoBudget: { fallback: undefined },
  embeddings: { fallback: undefined },
  models: { fallback: {} },
  routing: { fallback: {} },
  modelBudget: { fallback: undefined },
  meaning: { fallback: true },
  watch: { fallback: false },
  logLevel: { variable: oneOf(logLevels), fallback: "info" },
} as const satisfies SettingSources<Config>;
