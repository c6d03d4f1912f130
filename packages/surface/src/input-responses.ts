import { isObject, type InputRequest, type InputResponse } from "@toolpacks/core";

/** Requests for inputs by name. */
export type Inputs = Readonly<Record<string, InputRequest>>;

/** A client's responses by name, not validated. */
export type Responses = Readonly<Record<string, unknown>>;

/** Whether a response has the shape that its method demands. The code that asked checks the content. */
const hasShape: Readonly<Record<InputRequest["method"], (response: InputResponse) => boolean>> = {
  "elicitation/create": ({ action }) => action === "accept" || action === "decline" || action === "cancel",
  "sampling/createMessage": ({ role, content }) =>
    typeof role === "string" && (isObject(content) || Array.isArray(content)),
  "roots/list": ({ roots }) => Array.isArray(roots),
};

/** Picks the responses to these requests. Leaves out a response of the wrong shape, and one that was not requested. */
export function validResponses(inputs: Inputs, responses: Responses): Record<string, InputResponse> {
  const valid = Object.entries(inputs).flatMap(([name, { method }]) => {
    const response = Object.hasOwn(responses, name) ? responses[name] : undefined;
    return isObject(response) && hasShape[method](response) ? [[name, response] as const] : [];
  });
  return Object.fromEntries(valid);
}
