import { errorText, renderFailure } from "@toolpacks/core";
import { printableText } from "@toolpacks/core/terminal";
import { namedAccesses } from "../access/named-accesses.ts";
import { principalNamed } from "../access/principal-named.ts";
import type { Settings } from "../config/settings.ts";
import { resolveSettings } from "../config/resolve-settings.ts";
import { ConfigurationError } from "../configuration-error.ts";
import { createLog } from "../log.ts";
import { openStore, storeDriver } from "../stores/open-store.ts";
import { redactAddress } from "../stores/store-address.ts";
import type { Surface } from "@toolpacks/surface";
import type { AuthenticationReport } from "../access/inspect-authentication.ts";
import { buildSurface } from "../mount/build-surface.ts";
import { bundledPacks } from "../mount/bundled-packs.ts";
import { accessNotes } from "../mount/known-names.ts";
import { planMount, type LeftOut } from "../mount/mount-plan.ts";
import { openPlan, type Mounting } from "../mount/open-plan.ts";
import { checkServers, renderServer, type ServerReport } from "../doctor/check-servers.ts";
import { platformNotes } from "../doctor/platform-notes.ts";
import { print, printJson } from "../print.ts";
import { configRoots, renderRoot } from "../trust/config-roots.ts";
import { version } from "../version.ts";
import type { CallerFlags } from "./accept.ts";
import { LastLines } from "./announce-waiting.ts";
import { inspectStore } from "./inspect-store.ts";

/** Time allowed to connect to the database, in ms. Shorter than the driver's default, so that doctor ends soon. */
const doctorConnectTimeoutMs = 3_000;

interface Report {
  readonly version: string;
  readonly node: string;
  readonly config?: string;
  /** Keys of the config file that are ignored because it is not trusted. */
  readonly ignored?: readonly string[];
  readonly settings?: Readonly<Record<string, { readonly value: unknown; readonly origin: string }>>;
  readonly surface?: string;
  readonly exposed?: readonly string[];
  readonly mounted?: readonly { readonly facet: string; readonly tools: number }[];
  readonly store?: string;
  /** How `serve --http` would authenticate its callers. */
  readonly callers?: readonly string[];
  /** Other servers, with the result of connecting to each. */
  readonly servers?: readonly ServerReport[];
  readonly leftOut?: readonly LeftOut[];
  /** Hints about settings that are valid but may be unintended. */
  readonly notes?: readonly string[];
  readonly problems: readonly string[];
}

/** `toolpacks doctor`: prints what would be mounted, from which config, and all problems. Exit code 1 when there is a problem. */
export async function doctor(flags: CallerFlags & { require?: readonly string[]; json?: boolean }): Promise<void> {
  const report = await examine(flags, flags.require ?? []);
  if (flags.json === true) printJson(report, 2);
  else print(...render(report));
  if (report.problems.length > 0) process.exitCode = 1;
}

async function examine(flags: CallerFlags, required: readonly string[]): Promise<Report> {
  let known: Report = { version, node: process.versions.node, problems: [] };
  try {
    const settings = await resolveSettings(flags, process.env, process.cwd());
    const { file, mcpServers: _secrets, warnings, protectedPaths: _paths, ...decided } = settings;
    known = { ...known, ...configReport(file), settings: renderSettings(decided), problems: warnings };
    const store = await openStore(settings, { registersFolder: false, connectTimeoutMs: doctorConnectTimeoutMs });
    const log = new LastLines();
    const caller = flags.caller === undefined ? "" : await principalNamed(flags.caller, settings);
    const mounting = await openPlan(planMount(settings), { settings, store, log, caller });
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
    const notes = [
      ...platformNotes(),
      ...linkedRoots(file),
      ...checked.notes,
      ...stored.notes,
      ...authentication.notes,
    ];
    return { ...known, ...found, ...servers, store: stored.store, callers, leftOut, notes, problems };
  } catch (error) {
    // A pack that fails to load is reported as a problem, like a wrong setting.
    const message = errorText(error);
    return {
      ...known,
      problems: [
        ...known.problems,
        error instanceof ConfigurationError ? message : `a pack cannot be loaded: ${message}`,
      ],
    };
  }
}

async function inspectCallers(mounting: Mounting): Promise<AuthenticationReport> {
  const { value: http } = mounting.settings.http;
  if (http.tokens === undefined && http.oauth === undefined) return { callers: [], notes: [], problems: [] };
  const { inspectAuthentication } = await import("../access/inspect-authentication.ts");
  const { callers, notes, problems } = await inspectAuthentication(http);
  return { callers, notes: [...notes, ...(await accessNotes(await namedAccesses(http), mounting))], problems };
}

function configReport(file: Settings["file"]): Pick<Report, "config" | "ignored"> {
  if (file === undefined) return {};
  return { config: file.path, ...(file.ignored.length > 0 && { ignored: file.ignored.map(({ key }) => key) }) };
}

/** Notes about roots that are links to other folders. */
function linkedRoots(file: Settings["file"]): readonly string[] {
  const linked = file === undefined ? [] : configRoots(file).filter((root) => root.path !== root.realPath);
  return linked.map((root) => `${printableText(root.key)}: ${renderRoot(root)}`);
}

async function inspectMounting(
  mounting: Mounting,
  required: readonly string[],
): Promise<Pick<Report, "surface" | "exposed" | "mounted" | "problems">> {
  const surface = await buildSurface(mounting, { log: createLog("silent") });
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
      ...resolved.flatMap(({ name, found }) =>
        "failure" in found && !core.has(name)
          ? [`required ${name}: ${renderFailure(found.failure).replace("\n", ". ")}`]
          : [],
      ),
      ...(await checkPacks(mounting, surface)),
    ],
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
}: Omit<Settings, "file" | "mcpServers" | "warnings" | "protectedPaths">): NonNullable<Report["settings"]> {
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

function render(report: Report): readonly string[] {
  const { settings = {}, mounted = [], callers = [], leftOut = [], notes = [], problems } = report;
  const changed = Object.entries(settings).filter(([, { origin }]) => origin !== "default");
  return [
    `toolpacks ${report.version} on Node ${report.node}`,
    `config: ${report.config ?? (report.settings === undefined ? "cannot be used" : "none found")}`,
    ...changed.map(([name, { value, origin }]) => `${name}: ${JSON.stringify(value)} (${origin})`),
    ...(report.surface === undefined
      ? []
      : [`surface: ${report.surface}, exposed: ${report.exposed?.join(", ") || "nothing"}`]),
    ...mounted.map(({ facet, tools }) => `mounted: ${facet}, ${tools} tools`),
    ...(report.servers ?? []).flatMap(renderServer),
    ...(report.store === undefined ? [] : [`store: ${report.store}`]),
    ...callers.map((source) => `callers over HTTP: ${source}`),
    ...leftOut.map(({ name, reason, hint }) => `left out: ${name}: ${reason}. ${hint}`),
    ...notes.map((note) => `note: ${note}`),
    ...(problems.length === 0 ? ["no problems"] : problems.map((problem) => `PROBLEM: ${problem}`)),
  ];
}
