export { boundedFetch, tooLargeResponse, type BoundedFetchOptions, type Fetch } from "./bounded-fetch.ts";
export { exceededBound, exceededMessage, messageBounds, type JsonBounds } from "./json-bounds.ts";
export { createLineReader, endsOf, type LongLine } from "./line-reader.ts";
export { messageInfo, type MessageInfo } from "./message-info.ts";
