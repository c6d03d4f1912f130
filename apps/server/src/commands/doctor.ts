import { namedAccesses, type AuthenticationReport } from "@toolpacks/access";
import { ConfigurationError, errorText, renderFailure } from "@toolpacks/core";
import { problemLocator } from "@toolpacks/settings";
import type { Surface } from "@toolpacks/surface";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Settings } from "../config/settings.ts";
import { checkServers } from "../doctor/check-servers.ts";
import { renderReport, type Report } from "../doctor/render-report.ts";
import { type Io, printStyled, printJson } from "@toolpacks/terminal";
import { type Log, silentLog } from "../log.ts";
import { buildSurface } from "../mount/build-surface.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { accessNotes } from "../mount/known-names.ts";
import { planMount } from "../mount/mount-plan.ts";
import type { Mounting } from "../mount/mounting.ts";
import { openPlan } from "../mount/open-plan.ts";
import { principalNamed } from "../mount/principal-named.ts";
import { openStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";
import { version } from "../version.ts";
import type { CallerFlags } from "./accept.ts";
import { inspectStore } from "./inspect-store.ts";

/** Time allowed to connect to the database, in ms. Shorter than the driver's default, so that doctor ends soon. */
const connectTimeoutMs = 3_000;

export interface DoctorFlags extends CallerFlags {
  readonly require?: readonly string[];
  readonly json?: boolean;
}

/** `toolpacks doctor`: prints what would be mounted, from which config, and all problems. Exit code 1 when there is a problem. */
export async function doctor(io: Io, flags: DoctorFlags): Promise<number> {
  const report = await examine(io, flags);
  if (flags.json === true) printJson(io, report, 2);
  else printStyled(io, ...renderReport(report));
  return Number(report.problems.length > 0);
}

async function examine(io: Io, flags: DoctorFlags): Promise<Report> {
  let known: Report = { version, node: process.versions.node, problems: [] };
  try {
    const settings = await resolveSettings(flags, io.env, io.cwd);
    const { file, warnings } = settings;
    known = { ...known, ...describeConfig(file), settings: describeSettings(settings), problems: warnings };
    const store = await openStore(settings, { registersFolder: false, connectTimeoutMs });
    const lines = lastLines();
    const caller = flags.caller === undefined ? "" : await principalNamed(flags.caller, settings);
    const mounting = await openPlan(planMount(settings), {
      settings,
      store,
      log: lines.log,
      caller,
      leavesOutInvalid: true,
    });
    // Servers first: the mounted and required tools depend on their current lists.
    const { servers, ...checked } = await checkServers(mounting, { io, lastLine: lines.of, caller: flags.caller });
    const { problems: wrong, ...mounted } = await inspectMounting(mounting, flags.require ?? []).finally(() =>
      mounting.endRemotes(),
    );
    const kinds = mounting.packs.flatMap((pack) => pack.kinds);
    const { store: where, ...stored } = await inspectStore(settings, store, kinds);
    const selfTest = (await storeDriver(settings.store).selfTest?.()) ?? [];
    const { callers, ...authentication } = await inspectCallers(mounting);
    const parts = [mounting, { problems: wrong }, checked, stored, { problems: selfTest }, authentication];
    const problems = [...warnings, ...parts.flatMap((part) => part.problems)].map(await problemLocator(file));
    const notes = [checked, authentication].flatMap((part) => part.notes);
    const { leftOut } = mounting;
    return {
      ...known,
      ...mounted,
      ...(servers.length > 0 && { servers }),
      store: where,
      callers,
      leftOut,
      notes,
      problems,
    };
  } catch (error) {
    return { ...known, problems: [...known.problems, ...problemsOf(error)] };
  }
}

/** A log that prints nothing and keeps the last line of each server, which begins with its name and a colon. */
function lastLines() {
  const lines = new Map<string, string>();
  const keep = (message: string) => {
    const end = message.indexOf(": ");
    if (end > 0) lines.set(message.slice(0, end), message.slice(end + 2));
  };
  const log: Log = { error: keep, warn: keep, info: keep, debug: keep };
  return { log, of: (server: string) => lines.get(server) };
}

/** A pack that fails to load is reported as a problem, like a wrong setting. */
function problemsOf(error: unknown): readonly string[] {
  return error instanceof ConfigurationError ? error.problems : [`a pack cannot be loaded: ${errorText(error)}`];
}

async function inspectCallers(mounting: Mounting): Promise<AuthenticationReport> {
  const { value: http } = mounting.settings.http;
  if (http.tokens === undefined && http.oauth === undefined) return { callers: [], notes: [], problems: [] };
  const { inspectAuthentication } = await import("@toolpacks/access");
  const { callers, notes, problems } = await inspectAuthentication(http);
  return { callers, notes: [...notes, ...(await accessNotes(await namedAccesses(http), mounting))], problems };
}

async function inspectMounting(mounting: Mounting, required: readonly string[]) {
  const log = silentLog;
  const problems: string[] = [];
  // Wrong names to expose or deny do not hide other problems.
  const surface = await buildSurface(mounting, { log }).catch((error: unknown) => {
    problems.push(...problemsOf(error));
    return buildSurface({ ...mounting, policy: async () => ({ expose: undefined, deny: [] }) }, { log });
  });
  const { catalog, corePack, name, exposed } = surface;
  const core = new Set((await corePack.tools()).map((tool) => tool.name));
  for (const tool of required.filter((one) => !core.has(one))) {
    const found = await catalog.resolve(tool);
    if ("failure" in found) problems.push(`required ${tool}: ${renderFailure(found.failure).replace("\n", ". ")}`);
  }
  problems.push(...(await checkPacks(mounting.settings, surface)));
  const facets = (await catalog.entries()).map(({ facet }) => facet);
  const mounted = mounting.packs.map((pack) => ({
    facet: pack.name,
    tools: facets.filter((facet) => facet === pack.name).length,
  }));
  return { surface: name, exposed, mounted, problems };
}

/** The problems that the mounted bundled packs find themselves. */
async function checkPacks(settings: Settings, surface: Surface): Promise<readonly string[]> {
  const mounted = new Set(surface.catalog.packs.map(({ name }) => name));
  const checks = bundledPacks.flatMap(({ name, check }) => (check !== undefined && mounted.has(name) ? [check] : []));
  return (await Promise.all(checks.map((check) => check(settings, surface)))).flat();
}

function describeConfig(file: Settings["file"]): Pick<Report, "config" | "isUserConfig" | "ignored"> {
  if (file === undefined) return {};
  const { isUserConfig, ignored, path: config } = file;
  const keys = ignored.map(({ key }) => key);
  return { config, ...(isUserConfig && { isUserConfig }), ...(keys.length > 0 && { ignored: keys }) };
}

/** Blocks of servers are left out, since they hold secrets. */
const unshown = new Set(["file", "mcpServers"]);

function describeSettings({ packs, workflows, store, ...settings }: Settings): NonNullable<Report["settings"]> {
  const origin = "config file";
  const resolved = Object.entries({ ...settings, store: { ...store, value: redactAddress(store.value) } }).flatMap(
    ([name, setting]) =>
      !unshown.has(name) && typeof setting === "object" && "origin" in setting
        ? [[name, { value: setting.value, origin: setting.origin }] as const]
        : [],
  );
  const names = Object.keys(workflows);
  return {
    ...Object.fromEntries(resolved),
    ...(Object.keys(packs).length > 0 && { packs: { value: packs, origin } }),
    ...(names.length > 0 && { workflows: { value: names, origin } }),
  };
}
