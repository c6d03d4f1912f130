import { errorText, renderFailure } from "@toolpacks/core";
import { printableText } from "@toolpacks/terminal";
import { type AuthenticationReport, namedAccesses } from "@toolpacks/access";
import { principalNamed } from "../mount/principal-named.ts";
import type { Settings } from "../config/settings.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { createLog } from "../log.ts";
import { openStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";
import type { Surface } from "@toolpacks/surface";
import { buildSurface } from "../mount/build-surface.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { accessNotes } from "../mount/known-names.ts";
import { planMount } from "../mount/mount-plan.ts";
import { openPlan, type Mounting } from "../mount/open-plan.ts";
import { checkServers } from "../doctor/check-servers.ts";
import { problemLocator } from "../doctor/locate-problem.ts";
import { renderReport, type Report } from "../doctor/render-report.ts";
import { printStyled } from "../print-terminal.ts";
import { printJson } from "../print.ts";
import { configRoots, renderRoot } from "../trust/config-roots.ts";
import { version } from "../version.ts";
import type { CallerFlags } from "./accept.ts";
import { LastLines } from "./announce-waiting.ts";
import { inspectStore } from "./inspect-store.ts";

/** Time allowed to connect to the database, in ms. Shorter than the driver's default, so that doctor ends soon. */
const doctorConnectTimeoutMs = 3_000;

export interface DoctorFlags extends CallerFlags {
  readonly require?: readonly string[];
  readonly json?: boolean;
}

/** `toolpacks doctor`: prints what would be mounted, from which config, and all problems. Exit code 1 when there is a problem. */
export async function doctor(flags: DoctorFlags): Promise<void> {
  const report = await examine(flags, flags.require ?? []);
  if (flags.json === true) printJson(report, 2);
  else printStyled(...renderReport(report, process.stdout.isTTY ? process.stdout.columns : undefined));
  if (report.problems.length > 0) process.exitCode = 1;
}

async function examine(flags: DoctorFlags, required: readonly string[]): Promise<Report> {
  let known: Report = { version, node: process.versions.node, problems: [] };
  try {
    const settings = await resolveSettings(flags, process.env, process.cwd());
    const { file, mcpServers: _secrets, warnings, protectedPaths: _paths, ...decided } = settings;
    known = { ...known, ...configReport(file), settings: renderSettings(decided), problems: warnings };
    const store = await openStore(settings, { registersFolder: false, connectTimeoutMs: doctorConnectTimeoutMs });
    const log = new LastLines();
    const caller = flags.caller === undefined ? "" : await principalNamed(flags.caller, settings);
    const mounting = await openPlan(planMount(settings), { settings, store, log, caller, leavesOutInvalid: true });
    // Servers first: the mounted and required tools depend on their current lists.
    const checked = await checkServers(mounting, { settings, lines: log, caller: flags.caller });
    const found = await inspectMounting(mounting, required).finally(() => mounting.endRemotes());
    const stored = await inspectStore(
      settings,
      store,
      mounting.packs.flatMap(({ kinds }) => kinds),
    );
    const { callers, ...authentication } = await inspectCallers(mounting);
    const driverProblems = (await storeDriver(settings.store).selfTest?.()) ?? [];
    const problems = [
      ...warnings,
      ...mounting.problems,
      ...found.problems,
      ...checked.problems,
      ...stored.problems,
      ...driverProblems,
      ...authentication.problems,
    ];
    const servers = checked.servers.length === 0 ? {} : { servers: checked.servers };
    const { leftOut } = mounting;
    const notes = [...linkedRoots(file), ...(await deniedNotes(mounting)), ...checked.notes, ...authentication.notes];
    const located = problems.map(await problemLocator(file));
    return { ...known, ...found, ...servers, store: stored.store, callers, leftOut, notes, problems: located };
  } catch (error) {
    return { ...known, problems: [...known.problems, ...problemsOf(error)] };
  }
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

function configReport(file: Settings["file"]): Pick<Report, "config" | "isUserConfig" | "ignored"> {
  if (file === undefined) return {};
  const { isUserConfig, ignored } = file;
  return {
    config: file.path,
    ...(isUserConfig && { isUserConfig }),
    ...(ignored.length > 0 && { ignored: ignored.map(({ key }) => key) }),
  };
}

/** Notes about roots that are links to other folders. */
function linkedRoots(file: Settings["file"]): readonly string[] {
  const linked = file === undefined ? [] : configRoots(file).filter((root) => root.path !== root.realPath);
  return linked.map((root) => `${printableText(root.key)}: ${renderRoot(root)}`);
}

/** Notes about denied tools whose records the store tools can still change. */
async function deniedNotes({ packs, settings }: Mounting): Promise<readonly string[]> {
  const denied = new Set(settings.deny.value);
  if (settings.readOnly.value || denied.has("store") || packs.every(({ name }) => name !== "store")) return [];
  const ofRecords = packs.filter(
    ({ name, kinds, remote }) => name !== "store" && remote === undefined && kinds.length > 0,
  );
  const tools = (await Promise.all(ofRecords.map((pack) => pack.tools()))).flat();
  return tools
    .filter(({ name, mutates }) => mutates && denied.has(name))
    .map(
      ({ name }) =>
        `deny: ${name} is denied; other tools, such as store_put, can still change the same records; --read-only refuses all changes`,
    );
}

async function inspectMounting(
  mounting: Mounting,
  required: readonly string[],
): Promise<Pick<Report, "surface" | "exposed" | "mounted" | "problems">> {
  const log = createLog("silent");
  const problems: string[] = [];
  const surface = await buildSurface(mounting, { log }).catch(async (error: unknown) => {
    problems.push(...problemsOf(error));
    return buildSurface(withoutNames(mounting), { log });
  });
  const entries = await surface.catalog.entries();
  const resolved = await Promise.all(
    required.map(async (name) => ({ name, found: await surface.catalog.resolve(name) })),
  );
  const core = new Set((await surface.corePack.tools()).map(({ name }) => name));
  return {
    surface: surface.name,
    exposed: surface.exposed,
    mounted: mounting.packs.map(({ name }) => ({
      facet: name,
      tools: entries.filter(({ facet }) => facet === name).length,
    })),
    problems: [
      ...problems,
      ...resolved.flatMap(({ name, found }) =>
        "failure" in found && !core.has(name)
          ? [`required ${name}: ${renderFailure(found.failure).replace("\n", ". ")}`]
          : [],
      ),
      ...(await checkPacks(mounting, surface)),
    ],
  };
}

/** The mounting without the names to expose and deny, so that wrong names do not hide other problems. */
function withoutNames({ plan, settings, ...mounting }: Mounting): Mounting {
  const { expose, deny } = settings;
  return {
    ...mounting,
    plan: { ...plan, expose: undefined, deny: [] },
    settings: { ...settings, expose: { ...expose, value: undefined }, deny: { ...deny, value: [] } },
  };
}

/** The problems that the mounted bundled packs find themselves. */
async function checkPacks({ settings }: Mounting, surface: Surface): Promise<readonly string[]> {
  const mounted = new Set(surface.catalog.packs.map(({ name }) => name));
  const checks = bundledPacks.flatMap(({ name, check }) => (check !== undefined && mounted.has(name) ? [check] : []));
  return (await Promise.all(checks.map((check) => check(settings, surface)))).flat();
}

/** The settings for the report. Blocks of servers are left out, since they hold secrets. */
function renderSettings({
  packs,
  workflows,
  ...settings
}: Omit<Settings, "file" | "mcpServers" | "folders" | "warnings" | "protectedPaths">): NonNullable<Report["settings"]> {
  const entries = Object.entries(settings).map(
    ([name, { value, origin }]) =>
      [name, { value: typeof value === "string" && name === "store" ? redactAddress(value) : value, origin }] as const,
  );
  const packsEntry =
    Object.keys(packs).length === 0 ? [] : [["packs", { value: packs, origin: "config file" }] as const];
  const names = Object.keys(workflows);
  const workflowsEntry = names.length === 0 ? [] : [["workflows", { value: names, origin: "config file" }] as const];
  return Object.fromEntries([...entries, ...packsEntry, ...workflowsEntry]);
}
