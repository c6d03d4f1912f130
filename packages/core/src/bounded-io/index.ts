export { boundedFetch, tooLargeResponse, type BoundedFetchOptions, type Fetch } from "./bounded-fetch.ts";
export { fetchJson, parseBounded, type JsonResponse, type JsonResponseBounds } from "./fetch-json.ts";
export { exceededBound, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";
export {
  createLineReader,
  createMessageReader,
  endsOf,
  maxMessageBytes,
  messageInfo,
  waitForDrain,
  type LongLine,
  type MessageInfo,
  type MessageListener,
  type OversizedMessage,
} from "./message-stream.ts";
export { checkPlainValue, PlainValueError } from "./plain-value.ts";
export { readRegularFile } from "./read-regular-file.ts";
