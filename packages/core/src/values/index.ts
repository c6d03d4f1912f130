export { createMeasure } from "./measure.ts";
export {
  readParts,
  removeValue,
  removeValuesOf,
  valueKind,
  valueOwner,
  valuePartKind,
  writeValue,
  type StoredValue,
  type ValueTarget,
} from "./stored-value.ts";
export { clipRange, wholeBytes, type ByteRange, type ValueInfo, type ValueInput } from "./value.ts";
export { encodeValueId, isValueId, newValueId } from "./value-id.ts";
