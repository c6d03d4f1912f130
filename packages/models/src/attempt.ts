import { errorText, ToolError, type PackLog } from "@toolpacks/core";
import { askClient } from "./ask-client.ts";
import { askEndpoint, type Exchange } from "./ask-endpoint.ts";
import { knownPrice, limitsOf, misfit, maxUseOf, reservationOf, type ConfiguredModel } from "./configured-models.ts";
import { countedTokens } from "./estimate-question.ts";
import type { AskingContext, ModelAnswer, ModelQuestion, Tokens } from "./models.ts";
import { pause, pausedFor, type Pauses } from "./pauses.ts";
import { priceOf, toMoney } from "./price.ts";
import type { Amount, Reservation, UseLedger } from "./use-ledger.ts";

/** What attempts share in one process. */
export interface AttemptContext {
  readonly ledger: UseLedger;
  readonly pauses: Pauses;
  readonly log: Pick<PackLog, "info" | "warn"> | undefined;
}

export interface AttemptRequest {
  readonly question: ModelQuestion;
  readonly context: AskingContext;
  readonly attempts: AttemptContext;
  /** Whether no other model is asked if this one fails. */
  readonly isLast: boolean;
}

type Answered = Omit<ModelAnswer, "passedOver">;

/** Asks one model once, within its budget. @throws ToolError with the reason why it gave no answer */
export async function attempt(model: ConfiguredModel, request: AttemptRequest): Promise<Answered> {
  const { question, context, attempts } = request;
  const reason = misfit(model, question, context) ?? pausedFor(model, attempts.pauses);
  if (reason !== undefined) throw new ToolError("unavailable", `model ${model.name}: ${reason}`, model.problem?.hint);
  const reservation = await reserve(model, request);
  const exchange: Exchange = { mayHaveUsed: false };
  const sending = { exchange, isReserved: reservation !== undefined };
  try {
    const value = await send(model, request, sending);
    const tokens = countedTokens(question, exchange);
    const used = amountOf(model, tokens);
    await count(model, { reservation, used, attempts });
    const cost = model.settings.sampling === true ? undefined : used.billionths;
    return { value, model: model.name, tokens, cost: cost === undefined ? undefined : toMoney(cost) };
  } catch (error) {
    await count(model, { reservation, used: usedByFailure(model, request, sending), attempts });
    pause(model, exchange, attempts.pauses);
    throw error;
  }
}

/** Reserves the largest amount of the question where a budget holds. @throws ToolError when a budget forbids it */
async function reserve(
  model: ConfiguredModel,
  { question, attempts }: AttemptRequest,
): Promise<Reservation | undefined> {
  const reserved = await attempts.ledger.reserve(reservationOf(model, question)).catch((error: unknown) => {
    attempts.log?.warn(`model ${model.name}: its budget cannot be counted: ${errorText(error)}`);
    return "its budget cannot be counted, because the store is not available";
  });
  if (typeof reserved === "string") throw new ToolError("unavailable", `model ${model.name}: ${reserved}`);
  return reserved;
}

interface SendOptions {
  readonly exchange: Exchange;
  /** Whether the maximum of the answer must hold, because it is reserved. */
  readonly isReserved: boolean;
}

/** Time for an answer in seconds where another model can be asked, and where none can. */
const backupTimeoutSeconds = 120;
const lastTimeoutSeconds = 600;

async function send(
  model: ConfiguredModel,
  { question, context, isLast }: AttemptRequest,
  { exchange, isReserved }: SendOptions,
) {
  const { settings } = model;
  const { output, isStated } = limitsOf(model, question);
  const { timeoutSeconds = isLast ? lastTimeoutSeconds : backupTimeoutSeconds } = settings;
  const timeout = AbortSignal.timeout(timeoutSeconds * 1_000);
  const signal = AbortSignal.any([question.signal, timeout]);
  try {
    if (context.sample !== undefined && settings.sampling === true) {
      const request = { sample: context.sample, question, maxOutputTokens: output, signal };
      return await askClient(request, exchange);
    }
    const maxOutputTokens = isReserved || isStated ? output : undefined;
    const { apiKey } = model;
    const request = { url: settings.url ?? "", model: model.model, apiKey, question, maxOutputTokens, signal };
    return await askEndpoint(request, exchange);
  } catch (error) {
    if (question.signal.aborted || !timeout.aborted) throw error;
    throw new ToolError("unavailable", `model ${model.name}: it did not answer within ${timeoutSeconds} s`);
  }
}

function amountOf({ settings }: ConfiguredModel, tokens: Tokens): Amount {
  return { ...tokens, billionths: priceOf(tokens, knownPrice(settings)) };
}

/** What a failed question counts: nothing if the model refused it, what came back, or else all that it may have used. */
function usedByFailure(
  model: ConfiguredModel,
  { question }: AttemptRequest,
  { exchange, isReserved }: SendOptions,
): Amount | undefined {
  if (!exchange.mayHaveUsed) return undefined;
  const isKnown = exchange.usage !== undefined || exchange.text !== undefined;
  // Without a maximum of the answer, only the question is known.
  return isReserved && !isKnown ? maxUseOf(model, question) : amountOf(model, countedTokens(question, exchange));
}

interface Counting {
  readonly reservation: Reservation | undefined;
  readonly used: Amount | undefined;
  readonly attempts: AttemptContext;
}

/** Counts the use. If the store fails, the reservation stays counted. */
async function count({ name }: ConfiguredModel, { reservation, used, attempts }: Counting): Promise<void> {
  const { ledger, log } = attempts;
  try {
    if (reservation !== undefined) await reservation.settle(used);
    else if (used !== undefined) await ledger.count(name, used);
  } catch (error) {
    log?.warn(`model ${name}: its use cannot be counted: ${errorText(error)}`);
  }
}
