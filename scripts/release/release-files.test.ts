import { existsSync } from "node:fs";
import path from "node:path";
import { v0_3 } from "@anthropic-ai/mcpb";
import { expect, test } from "vitest";
import { z } from "zod";
import { bundleManifest, registryEntry, root } from "./release-files.ts";

test("the manifest of the bundle matches the schema of MCP bundles", () => {
  expect(v0_3.McpbManifestSchema.parse(bundleManifest())).toEqual(bundleManifest());
  expect(v0_3.McpbManifestSchema.safeParse({ ...bundleManifest(), author: "Ada" })).toMatchObject({ success: false });
});

/** The rules of the registry's schema for the fields that are used. The schema itself is in no npm package. */
const transport = z.strictObject({ type: z.literal("stdio") });
const argument = z.strictObject({
  type: z.literal("named"),
  name: z.string().startsWith("--"),
  description: z.string(),
  format: z.enum(["string", "number", "boolean", "filepath"]),
  isRequired: z.boolean(),
  isRepeated: z.boolean(),
});
const version = z.string().regex(/^\d+\.\d+\.\d+$/);
const registrySchema = z.strictObject({
  $schema: z.url(),
  name: z.string().regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  websiteUrl: z.url(),
  repository: z.strictObject({ url: z.url(), source: z.literal("github"), subfolder: z.string() }),
  packages: z.tuple([
    z.strictObject({
      registryType: z.literal("npm"),
      identifier: z.literal("toolpacks"),
      version,
      runtimeHint: z.literal("npx"),
      transport,
      packageArguments: z.array(argument),
    }),
    z.strictObject({
      registryType: z.literal("mcpb"),
      identifier: z.url({ protocol: /^https$/, hostname: /^github\.com$/ }),
      fileSha256: z.string().regex(/^[a-f0-9]{64}$/),
      transport,
    }),
  ]),
});

test("server.json follows the rules of the MCP registry", () => {
  const entry = registryEntry("0".repeat(64));
  expect(registrySchema.parse(entry)).toEqual(entry);
  expect(existsSync(path.join(root, entry.repository.subfolder, "package.json"))).toBe(true);
});
