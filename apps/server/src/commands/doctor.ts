import { namedAccesses, type AuthenticationReport } from "@toolpacks/access";
import { ConfigurationError, errorText, renderFailure } from "@toolpacks/core";
import { problemLocator } from "@toolpacks/settings";
import { type Io, printJson, printStyled } from "@toolpacks/terminal";
import type { CallerFlags } from "./accept.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import type { Settings } from "../config/settings.ts";
import { describeMeaning } from "../embeddings.ts";
import { type Log, silentLog } from "../log.ts";
import { buildSurface } from "../mount/build-surface.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { accessNotes } from "../mount/known-names.ts";
import { planMount } from "../mount/mount-plan.ts";
import type { Mounting } from "../mount/mounting.ts";
import { openPlan } from "../mount/open-plan.ts";
import { missingRoots } from "../mount/pack-roots.ts";
import { principalNamed } from "../mount/principal-named.ts";
import { openStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";
import { version } from "../version.ts";
import { checkClients } from "./check-clients.ts";
import { checkServers } from "./check-servers.ts";
import { inspectStore } from "./inspect-store.ts";
import { renderReport, type Report } from "./doctor-report.ts";

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
    const clients = await checkClients(io);
    const unusable = clients.flatMap(({ entry, problem }) => (problem === undefined ? [] : [`${entry}: ${problem}`]));
    const hasRoots = clients.some(({ roots }) => roots.length > 0);
    known = { ...known, clients, problems: unusable };
    const settings = await resolveSettings(flags, io.env, io.cwd);
    const { file } = settings;
    const problems = [...unusable, ...settings.warnings];
    known = { ...known, ...describeConfig(file), settings: describeSettings(settings), problems };
    const store = await openStore(settings, { registersFolder: false, connectTimeoutMs });
    const { log, lastLine } = lastLines();
    const caller = flags.caller === undefined ? "" : await principalNamed(flags.caller, settings);
    const mounting = await openPlan(planMount(settings), { settings, store, log, caller, leavesOutInvalid: true });
    // Servers first: the mounted and required tools depend on their current lists.
    const checked = await checkServers(mounting, { io, lastLine, caller: flags.caller });
    const mounted = await inspectMounting(mounting, flags.require ?? []).finally(() => mounting.endRemotes());
    const kinds = mounting.packs.flatMap((pack) => pack.kinds);
    const stored = await inspectStore(settings, store, kinds);
    const selfTest = { problems: (await storeDriver(settings.store).selfTest?.()) ?? [] };
    const authentication = await inspectCallers(mounting);
    const parts = [known, mounting, mounted, checked, stored, selfTest, authentication];
    return {
      ...known,
      ...mounted,
      ...(checked.servers.length > 0 && { servers: checked.servers }),
      store: stored.store,
      foundBy: describeMeaning(settings),
      callers: authentication.callers,
      leftOut: mounting.leftOut.filter(
        ({ name, reason }) => !hasRoots || reason !== missingRoots(name, settings)?.reason,
      ),
      notes: [...checked.notes, ...authentication.notes],
      problems: parts.flatMap((part) => part.problems).map(await problemLocator(file)),
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
  return { log, lastLine: (server: string) => lines.get(server) };
}

/** A pack that fails to load is reported as a problem, like a wrong setting. */
function problemsOf(error: unknown): readonly string[] {
  return error instanceof ConfigurationError ? error.problems : [`a pack cannot be loaded: ${errorText(error)}`];
}

async function inspectCallers(mounting: Mounting): Promise<AuthenticationReport> {
  const { value: http } = mounting.settings.http;
  if (http.tokens === undefined && http.oauth === undefined) return { callers: [], notes: [], problems: [] };
  const { inspectAuthentication } = await import("@toolpacks/access");
  const report = await inspectAuthentication(http);
  return { ...report, notes: [...report.notes, ...(await accessNotes(await namedAccesses(http), mounting))] };
}

async function inspectMounting(mounting: Mounting, required: readonly string[]) {
  const problems: string[] = [];
  // Wrong names to expose or deny do not hide other problems.
  const surface = await buildSurface(mounting, { log: silentLog }).catch((error: unknown) => {
    problems.push(...problemsOf(error));
    const policy = async () => ({ expose: undefined, deny: [] });
    return buildSurface({ ...mounting, policy }, { log: silentLog });
  });
  const { catalog, corePack, name, exposed } = surface;
  const core = new Set((await corePack.tools()).map((tool) => tool.name));
  for (const tool of required.filter((one) => !core.has(one))) {
    const found = await catalog.resolve(tool);
    if ("failure" in found) problems.push(`required ${tool}: ${renderFailure(found.failure).replace("\n", ". ")}`);
  }
  for (const { name: facet, check } of bundledPacks) {
    const isMounted = catalog.packs.some((pack) => pack.name === facet);
    if (isMounted && check !== undefined) problems.push(...(await check(mounting.settings, surface)));
  }
  const counts = Map.groupBy(await catalog.entries(), ({ facet }) => facet);
  const mounted = mounting.packs.map((pack) => ({ facet: pack.name, tools: counts.get(pack.name)?.length ?? 0 }));
  return { surface: name, exposed, mounted, problems };
}

function describeConfig(file: Settings["file"]): Pick<Report, "config" | "isUserConfig" | "ignored"> {
  if (file === undefined) return {};
  const { isUserConfig, ignored, path: config } = file;
  const keys = ignored.map(({ key }) => key);
  return { config, ...(isUserConfig && { isUserConfig }), ...(keys.length > 0 && { ignored: keys }) };
}

function describeSettings({ packs, workflows, store, ...settings }: Settings): NonNullable<Report["settings"]> {
  // Blocks of servers are left out, since they hold secrets.
  const { file: _file, mcpServers: _blocks, ...shown } = settings;
  const resolved = Object.entries({ ...shown, store: { ...store, value: redactAddress(store.value) } }).flatMap(
    ([name, setting]) =>
      typeof setting === "object" && "origin" in setting
        ? [[name, { value: setting.value, origin: setting.origin }] as const]
        : [],
  );
  const origin = "config file";
  const names = Object.keys(workflows);
  return {
    ...Object.fromEntries(resolved),
    ...(Object.keys(packs).length > 0 && { packs: { value: packs, origin } }),
    ...(names.length > 0 && { workflows: { value: names, origin } }),
  };
}
