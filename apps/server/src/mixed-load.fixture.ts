import { setTimeout as delay } from "node:timers/promises";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";

interface Caller {
  readonly name: string;
  readonly token: string;
}

export interface LoadOptions {
  /** Address of the MCP endpoint. */
  readonly url: string;
  /** Callers with workspaces of their own. Clients are divided between them. */
  readonly callers: readonly Caller[];
  /** Number of clients. Every second one speaks 2026-07-28, the others 2025-11-25. */
  readonly clients: number;
  readonly ms: number;
  /** Runs beside the work, from the time when all clients are connected. */
  readonly meanwhile?: () => Promise<void>;
  /** Whether a call that ran from one time to the other may fail. */
  readonly mayFail: (began: number, ended: number) => boolean;
}

/** What clients have seen. */
export interface LoadReport {
  readonly calls: number;
  /** Calls that failed where they may, and were repeated until they succeeded. */
  readonly repeated: number;
  /** Calls that failed where they may not. */
  readonly errors: readonly string[];
  /** Results that are not what the client expects. */
  readonly wrong: readonly string[];
  /** Results with data of another caller. */
  readonly crossed: readonly string[];
  /** Acknowledged notes: their text by id, for each caller. */
  readonly notes: ReadonlyMap<string, ReadonlyMap<string, string>>;
  /** Acknowledged issues by caller: their ids. All are closed. */
  readonly issues: ReadonlyMap<string, readonly string[]>;
}

interface Seen {
  calls: number;
  repeated: number;
  readonly errors: string[];
  readonly wrong: string[];
  readonly crossed: string[];
  readonly notes: Map<string, Map<string, string>>;
  readonly issues: Map<string, string[]>;
}

/** Every text of a caller holds this word. */
const markOf = (name: string) => `${name}marked`;

/** A large text: its result is replaced by a handle. */
const largeLength = 60_000;

/** Connects a client of one protocol era. */
export async function connectOverHttp(
  url: string,
  token: string | undefined,
  era: "modern" | "legacy",
): Promise<Client> {
  const client = new Client(
    { name: "load", version: "1" },
    era === "modern" ? { versionNegotiation: { mode: { pin: "2026-07-28" } } } : {},
  );
  const headers = token === undefined ? {} : { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers } }));
  return client;
}

/** Runs mixed work of many clients for some time: notes, searches, issues, workflows and large results. */
export async function runMixedLoad(options: LoadOptions): Promise<LoadReport> {
  const { url, callers, clients, ms, meanwhile = async () => {} } = options;
  const seen: Seen = { calls: 0, repeated: 0, errors: [], wrong: [], crossed: [], notes: new Map(), issues: new Map() };
  for (const { name } of callers) {
    seen.notes.set(name, new Map());
    seen.issues.set(name, []);
  }
  const connect = async (index: number) => {
    const caller = callers[index % callers.length];
    if (caller === undefined) throw new Error("callers: expected one or more");
    const era = Math.floor(index / callers.length) % 2 === 0 ? "modern" : "legacy";
    return new LoadClient(await connectOverHttp(url, caller.token, era), { caller, index, seen, options });
  };
  const all = await Promise.all(Array.from({ length: clients }, (_, index) => connect(index)));
  const until = Date.now() + ms;
  const work = async (client: LoadClient) => {
    for (let step = 0; Date.now() < until; step += 1) await client.step(step);
    await client.close();
  };
  await Promise.all([...all.map(work), meanwhile()]);
  return seen;
}

type Structured = Readonly<Record<string, unknown>>;

interface LoadClientOptions {
  readonly caller: Caller;
  readonly index: number;
  readonly seen: Seen;
  readonly options: LoadOptions;
}

class LoadClient {
  readonly #client: Client;
  readonly #options: LoadClientOptions;

  constructor(client: Client, options: LoadClientOptions) {
    this.#client = client;
    this.#options = options;
  }

  async close(): Promise<void> {
    await this.#client.close();
  }

  /** Does the next piece of work. */
  async step(step: number): Promise<void> {
    const works = [
      () => this.#note(step),
      () => this.#note(step),
      () => this.#search(),
      () => this.#issue(step),
      () => this.#workflow(step),
      () => this.#large(step),
    ];
    await works[(step + this.#options.index) % works.length]?.();
  }

  async #note(step: number): Promise<void> {
    const { caller, index } = this.#options;
    const word = `${caller.name}n${index}x${step}`;
    await this.#putNote(`${word} ${markOf(caller.name)}`, word);
    const page = await this.#call("store_query", { kind: "note", text: word, fields: ["*"] });
    const items = (page["items"] ?? []) as readonly { readonly id: string }[];
    if (items.length !== 1) this.#wrong(`${items.length} notes have the word ${word}`);
  }

  async #search(): Promise<void> {
    const found = await this.#call("tool_search", { query: "create an issue" });
    if (!JSON.stringify(found).includes("issue_create")) this.#wrong("tool_search does not find issue_create");
  }

  async #issue(step: number): Promise<void> {
    const { caller, index, seen } = this.#options;
    const title = `${caller.name} issue ${index} ${step} ${markOf(caller.name)}`;
    const before = seen.repeated;
    const made = await this.#call("issue_create", { issues: [{ title }] });
    const [issue] = (made["items"] ?? []) as readonly { readonly id: string }[];
    if (issue === undefined) return this.#wrong(`issue_create returned no issue: ${JSON.stringify(made)}`);
    await this.#call("issue_close", { ids: [issue.id], reason: "done" });
    const shown = await this.#call("issue_show", { ids: [issue.id] });
    if (!JSON.stringify(shown).includes(title)) this.#wrong(`${issue.id} is not the issue that was created`);
    if (seen.repeated === before) seen.issues.get(caller.name)?.push(issue.id);
  }

  async #workflow(step: number): Promise<void> {
    const { caller, index } = this.#options;
    const word = `${caller.name}w${index}x${step}`;
    const text = `${word} ${markOf(caller.name)}`;
    const put = { tool: "store_put", params: { kind: "note", record: { text }, operationId: word } };
    const ran = await this.#call("workflow_eval", {
      steps: [put, { tool: "store_query", params: { kind: "note", text: word } }],
    });
    const report = await this.#call("workflow_report", { report: ran["report"] });
    if (report["status"] !== "ok") this.#wrong(`the report of a run has status ${JSON.stringify(report["status"])}`);
  }

  async #large(step: number): Promise<void> {
    const { caller, index } = this.#options;
    const word = `${caller.name}l${index}x${step}`;
    const text = `${word} ${markOf(caller.name)} ${"abcdefgh ".repeat(largeLength / 9)}`;
    await this.#putNote(text, word);
    const page = JSON.stringify(await this.#call("store_query", { kind: "note", text: word, fields: ["*"] }));
    const [handle] = /relay:\/\/[\w-]+/.exec(page) ?? [];
    if (handle === undefined) return this.#wrong(`a large result has no handle: ${page.slice(0, 200)}`);
    const value = JSON.stringify(await this.#call("relay_read", { handle, mode: "grep", pattern: word }));
    if (!value.includes(word)) this.#wrong(`${handle} does not hold ${word}: ${value.slice(0, 200)}`);
  }

  async #putNote(text: string, operationId: string): Promise<void> {
    const { caller, seen } = this.#options;
    const made = await this.#call("store_put", { kind: "note", record: { text }, operationId });
    seen.notes.get(caller.name)?.set(String(made["id"]), text);
  }

  /** Calls a tool until it succeeds. A call may fail only when the options say so. */
  async #call(name: string, args: Structured): Promise<Structured> {
    const { seen, options } = this.#options;
    for (let tries = 0; ; tries += 1) {
      const began = Date.now();
      try {
        const result = await this.#client.callTool({ name, arguments: args }, { timeout: 60_000 });
        seen.calls += 1;
        const text = JSON.stringify(result);
        this.#checkMarks(name, text);
        if (result.isError !== true) return (result.structuredContent ?? { text }) as Structured;
        throw new Error(text);
      } catch (error) {
        if (!options.mayFail(began, Date.now())) {
          seen.errors.push(`${name}: ${String(error).slice(0, 500)}`);
          return {};
        }
        seen.repeated += 1;
        if (tries > 100) throw error;
        await delay(100);
      }
    }
  }

  #checkMarks(tool: string, text: string): void {
    const { caller, seen, options } = this.#options;
    const others = options.callers.filter(({ name }) => name !== caller.name);
    const found = others.find(({ name }) => text.includes(markOf(name)));
    if (found !== undefined) seen.crossed.push(`${tool} showed ${caller.name} data of ${found.name}`);
  }

  #wrong(problem: string): void {
    this.#options.seen.wrong.push(problem);
  }
}
