import { boundedFetch } from "@toolpacks/core/bounded-io";
import { z } from "zod";

/** An OpenAI-compatible embedding endpoint. */
export interface EmbeddingEndpoint {
  /** `…/v1`, or the whole address that ends in `/embeddings`. */
  readonly url: string;
  readonly model: string;
  /** Sent as a bearer token. */
  readonly key?: string | undefined;
  /** How long one request may take. Default 10,000. */
  readonly timeoutMs?: number | undefined;
}

const defaultTimeoutMs = 10_000;

/** Endpoints take a few hundred texts at once; fewer would cost a request each. */
const textsPerRequest = 128;

/** Maximum size of a response in bytes: twice what 128 vectors of 4,096 numbers take as text. */
const maxResponseBytes = 32 * 1024 * 1024;
const fetch = boundedFetch({ maxBytes: maxResponseBytes });

const answer = z.object({
  data: z.array(z.object({ index: z.int().optional(), embedding: z.array(z.number()).min(1) })),
});

/**
 * The vectors of texts, each of length 1, in the order of the texts.
 *
 * @throws Error when the endpoint cannot be reached, refuses, takes too long, or answers something else
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
  const response = await fetch(addressOf(url), {
    method: "POST",
    headers: { "content-type": "application/json", ...(key !== undefined && { authorization: `Bearer ${key}` }) },
    body: JSON.stringify({ model, input: texts }),
    signal: AbortSignal.timeout(timeoutMs),
  });
  if (!response.ok) throw new Error(`it answered ${response.status} ${response.statusText}`.trim());
  const parsed = answer.safeParse(await response.json());
  if (!parsed.success) throw new Error("its answer is no list of embeddings");
  const { data } = parsed.data;
  if (data.length !== texts.length) throw new Error(`it answered ${data.length} embeddings for ${texts.length} texts`);
  const inOrder = data.map((one, at) => ({ at: one.index ?? at, embedding: one.embedding }));
  return inOrder.sort((one, other) => one.at - other.at).map(({ embedding }) => unit(embedding));
}

function addressOf(url: string): string {
  const trimmed = url.replace(/\/+$/, "");
  return trimmed.endsWith("/embeddings") ? trimmed : `${trimmed}/embeddings`;
}

function unit(embedding: readonly number[]): Float32Array {
  const length = Math.hypot(...embedding);
  return Float32Array.from(embedding, (value) => (length === 0 ? 0 : value / length));
}
