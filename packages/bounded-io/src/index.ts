export { type BoundedFetchOptions, type Fetch, boundedFetch, tooLargeResponse } from "./bounded-fetch.ts";
export { type JsonResponse, type JsonResponseBounds, fetchJson, parseBounded } from "./fetch-json.ts";
export { type JsonBounds, exceededBound, exceededMessage, messageBounds } from "./json-bounds.ts";
export {
  type LongLine,
  type MessageInfo,
  type MessageListener,
  type OversizedMessage,
  createLineReader,
  createMessageReader,
  endsOf,
  maxMessageBytes,
  messageInfo,
  waitForDrain,
} from "./message-stream.ts";
export { PlainValueError, checkPlainValue } from "./plain-value.ts";
