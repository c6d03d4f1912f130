import { stat } from "node:fs/promises";
import { ConfigurationError, errorText, type PackLog, principalOf } from "@toolpacks/core";
import { hasCode } from "@toolpacks/files";
import type { AuthInfo } from "@modelcontextprotocol/server";
import type { Caller, Refusal } from "./authenticator.ts";
import type { Refusals } from "./refusals.ts";
import { isExpired, readTokenFile, tokenSubject, type TokenRecord } from "./token-file.ts";
import { isSecretOf, parseToken } from "./token.ts";
import { unionAccess } from "./union-access.ts";

/** How often the file is checked for changes, in ms. A revoked token is refused after this time. */
const checkIntervalMs = 1_000;

interface KnownToken {
  readonly record: TokenRecord;
  readonly hash: Buffer;
  readonly caller: Caller;
}

interface FileTokensOptions {
  readonly refusals: Refusals;
  readonly log: PackLog;
}

/** The tokens of a token file. Changes of the file apply while the server runs. */
export class FileTokens {
  readonly #file: string;
  readonly #refusals: Refusals;
  readonly #log: PackLog;
  readonly #listeners = new Set<() => void>();
  readonly #timer: NodeJS.Timeout;
  #tokens: ReadonlyMap<string, KnownToken> = new Map();
  /** The version of the file that was read last, also if it was refused. Undefined: the file could not be read. */
  #stamp: string | undefined;
  /** Why the file cannot be used now. */
  #problem: string | undefined;
  #checkedAt = performance.now();
  #checking: Promise<void> | undefined;

  private constructor(file: string, options: FileTokensOptions) {
    this.#file = file;
    this.#refusals = options.refusals;
    this.#log = options.log;
    // The timer is also for streams that are open while no request arrives. Requests check the file themselves when the timer is late.
    this.#timer = setInterval(() => void this.#refresh(true), checkIntervalMs).unref();
  }

  /** Reads the file. @throws ConfigurationError for a file that is missing or cannot be used */
  static async open(file: string, options: FileTokensOptions): Promise<FileTokens> {
    const opened = new FileTokens(file, options);
    try {
      await opened.#readIfChanged();
      return opened;
    } catch (error) {
      opened.close();
      throw new ConfigurationError(describeProblem(file, error));
    }
  }

  /** The tokens in use. */
  get records(): readonly TokenRecord[] {
    return [...this.#tokens.values()].map(({ record }) => record);
  }

  async verify(token: string): Promise<Caller | Refusal> {
    await this.#refresh();
    const parsed = parseToken(token);
    // Ids are not secret, so the lookup need not take constant time.
    const known = parsed && this.#tokens.get(parsed.id);
    if (parsed === undefined || known === undefined || !isSecretOf(parsed.secret, known.hash)) {
      return this.#refusals.invalid("the token is unknown or revoked");
    }
    if (isExpired(known.record, Date.now())) return this.#refusals.invalid("the token has expired");
    return known.caller;
  }

  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  close(): void {
    clearInterval(this.#timer);
    this.#listeners.clear();
  }

  /** Reads the file again if it has changed. Never rejects. */
  async #refresh(isDue = performance.now() - this.#checkedAt >= checkIntervalMs): Promise<void> {
    if (this.#checking === undefined && isDue) {
      this.#checkedAt = performance.now();
      this.#checking = this.#readChanges().finally(() => (this.#checking = undefined));
    }
    await this.#checking;
  }

  async #readIfChanged(): Promise<void> {
    const stamp = await stampOf(this.#file);
    if (stamp === this.#stamp) return;
    // A file that changes while it is read has another stamp at the next check.
    this.#stamp = stamp;
    const { tokens, warnings } = await readTokenFile(this.#file);
    for (const warning of warnings) this.#log.warn(warning);
    if (this.#problem !== undefined) this.#log.info(`${this.#file}: can be used again`);
    this.#problem = undefined;
    this.#replace(tokens);
  }

  async #readChanges(): Promise<void> {
    try {
      await this.#readIfChanged();
    } catch (error) {
      if (!(error instanceof ConfigurationError)) this.#stamp = undefined;
      const problem = describeProblem(this.#file, error);
      const isGone = hasCode(error, "ENOENT");
      if (problem !== this.#problem) {
        this.#log.error(`${problem}; ${isGone ? "all tokens are refused" : "the last valid tokens stay in use"}`);
      }
      this.#problem = problem;
      // A deleted file revokes its tokens. A damaged one may be half edited.
      if (isGone && this.#tokens.size > 0) this.#replace([]);
    }
  }

  #replace(tokens: readonly TokenRecord[]): void {
    this.#tokens = indexTokens(tokens);
    for (const listener of this.#listeners) listener();
  }
}

/** The parts of a file's status that change with its content, its permissions or its replacement. */
async function stampOf(file: string): Promise<string> {
  const { dev, ino, size, mtimeNs, ctimeNs } = await stat(file, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

/** Describes why a token file cannot be used. */
export function describeProblem(file: string, error: unknown): string {
  if (error instanceof ConfigurationError) return error.message;
  if (hasCode(error, "ENOENT")) return `${file}: there is no such token file`;
  return `${file}: cannot be read (${errorText(error)})`;
}

function indexTokens(tokens: readonly TokenRecord[]): ReadonlyMap<string, KnownToken> {
  return new Map(
    tokens.map((record) => [record.id, { record, hash: Buffer.from(record.hash, "hex"), caller: callerOf(record) }]),
  );
}

function callerOf({ id, name, access, expiresAt }: TokenRecord): Caller {
  const auth: AuthInfo = { token: "", clientId: name, scopes: [], extra: { sub: tokenSubject({ id, name }) } };
  return {
    principal: { id: principalOf(auth), access: unionAccess([access]) },
    auth,
    expiresAt: expiresAt === undefined ? undefined : Date.parse(expiresAt),
  };
}
