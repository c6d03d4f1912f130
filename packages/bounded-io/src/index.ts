export { type BoundedFetchOptions, type Fetch, boundedFetch, tooLargeResponse } from "./bounded-fetch.ts";
export { type JsonResponse, type JsonResponseBounds, fetchJson, parseBounded } from "./fetch-json.ts";
export {
  type LongLine,
  type MessageListener,
  type OversizedMessage,
  createLineReader,
  createMessageReader,
  maxMessageBytes,
  messageBounds,
  oversizedMessage,
  waitForDrain,
} from "./message-stream.ts";
export { PlainValueError, checkPlainValue } from "./plain-value.ts";
