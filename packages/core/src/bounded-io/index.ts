export { boundedFetch, tooLargeResponse, type BoundedFetchOptions, type Fetch } from "./bounded-fetch.ts";
export { fetchJson, parseBounded, type JsonResponse, type JsonResponseBounds } from "./fetch-json.ts";
export { exceededBound, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";
export { createLineReader, endsOf, type LongLine } from "./line-reader.ts";
export { waitForDrain } from "./wait-for-drain.ts";
export { messageInfo, type MessageInfo } from "./message-info.ts";
export { createMessageReader, maxMessageBytes, type MessageListener, type OversizedMessage } from "./message-reader.ts";
export { checkPlainValue, PlainValueError } from "./plain-value.ts";
export { readRegularFile } from "./read-regular-file.ts";
