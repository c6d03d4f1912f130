import { isObject } from "@toolpacks/core";
import { fetchJson, type JsonResponseBounds } from "@toolpacks/bounded-io";

/** An OpenAI-compatible embedding endpoint. */
export interface EmbeddingEndpoint {
  /** `…/v1`, or the full address that ends in `/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** Timeout of one request. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 10_000;

/** Endpoints accept a few hundred texts per request. */
const textsPerRequest = 128;

const maxDimensions = 8_192;

/** Bounds of a response with `texts` vectors. A number takes up to 25 bytes. */
function boundsFor(texts: number): JsonResponseBounds {
  const maxValues = 1_000 + texts * (maxDimensions + 10);
  return { maxBytes: 64 * 1024 + maxValues * 25, maxDepth: 8, maxValues };
}

/**
 * The unit vectors of texts, in the order of the texts.
 *
 * @throws Error when the endpoint cannot be reached, refuses, times out, or responds with something else
 */
export async function embed(endpoint: EmbeddingEndpoint, texts: readonly string[]): Promise<readonly Float32Array[]> {
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += textsPerRequest)
    vectors.push(...(await request(endpoint, texts.slice(from, from + textsPerRequest))));
  return vectors;
}

async function request(
  { url, model, key, timeoutMs = defaultTimeoutMs }: EmbeddingEndpoint,
  texts: readonly string[],
): Promise<readonly Float32Array[]> {
  const init = {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input: texts }),
    signal: AbortSignal.timeout(timeoutMs),
  };
  const { ok, status, statusText, value } = await fetchJson(addressOf(url), init, boundsFor(texts.length));
  if (!ok) throw new Error(`it answered ${status} ${statusText}`.trim());
  const embeddings = readEmbeddings(value);
  const { length } = embeddings;
  if (length !== texts.length) throw new Error(`it answered ${length} embeddings for ${texts.length} texts`);
  return embeddings;
}

/** Read without a schema, whose error would list every invalid number. @throws Error when it is not a list of embeddings */
function readEmbeddings(value: unknown): readonly Float32Array[] {
  const data: unknown = isObject(value) ? value["data"] : undefined;
  const embeddings = (Array.isArray(data) ? data : [undefined]).map((one: unknown, at) => {
    const { index = at, embedding } = isObject(one) ? one : {};
    if (Number.isSafeInteger(index) && isVector(embedding)) return { at: index as number, embedding };
    throw new Error("the response is not a list of embeddings");
  });
  return embeddings.toSorted((one, other) => one.at - other.at).map(({ embedding }) => unit(embedding));
}

function isVector(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.length <= maxDimensions && value.every(Number.isFinite);
}

function addressOf(url: string): string {
  const trimmed = url.replace(/\/+$/, "");
  return trimmed.endsWith("/embeddings") ? trimmed : `${trimmed}/embeddings`;
}

function unit(embedding: readonly number[]): Float32Array {
  const length = Math.hypot(...embedding);
  return Float32Array.from(embedding, (value) => (length === 0 ? 0 : value / length));
}
