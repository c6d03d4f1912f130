import { definePack, ToolError, type PackResources, type Prompt } from "@toolpacks/core";
import { askForContext, askingTools } from "./asking-tools.fixture.ts";
import { contentTools, png } from "./content-tools.fixture.ts";

const tool = "test_simple_text";

const prompts: readonly Prompt[] = [
  {
    name: "test_simple_prompt",
    description: "A prompt without arguments.",
    tool,
    arguments: [],
    text: () => "This is a simple prompt for testing.",
  },
  {
    name: "test_prompt_with_arguments",
    description: "A prompt with two arguments.",
    tool,
    arguments: [
      {
        name: "arg1",
        description: "First test argument",
        required: true,
        complete: (value) => ["paris", "park", "party", "test"].filter((word) => word.startsWith(value)),
      },
      { name: "arg2", description: "Second test argument", required: true },
    ],
    text: ({ arg1, arg2 }) => `Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`,
  },
  {
    name: "test_prompt_with_embedded_resource",
    description: "A prompt with a resource.",
    tool,
    arguments: [{ name: "resourceUri", description: "URI of the resource to embed", required: true }],
    messages: ({ resourceUri: uri = "" }) => [
      {
        role: "user",
        content: {
          type: "resource",
          resource: { uri, mimeType: "text/plain", text: "Embedded resource content for testing." },
        },
      },
      { role: "user", content: { type: "text", text: "Please process the embedded resource above." } },
    ],
  },
  {
    name: "test_prompt_with_image",
    description: "A prompt with an image.",
    tool,
    arguments: [],
    messages: () => [
      { role: "user", content: { type: "image", data: png, mimeType: "image/png" } },
      { role: "user", content: { type: "text", text: "Please analyze the image above." } },
    ],
  },
  {
    name: "test_input_required_result_prompt",
    description: "A prompt that asks the user.",
    tool,
    arguments: [],
    messages: async (_, context) => [
      { role: "user", content: { type: "text", text: `Context: ${await askForContext(context)}` } },
    ],
  },
];

const template = /^test:\/\/template\/([^/]+)\/data$/;

const list = [
  { uri: "test://static-text", name: "static text", description: "A text.", mimeType: "text/plain" },
  { uri: "test://static-binary", name: "static binary", description: "An image.", mimeType: "image/png" },
  { uri: "test://watched-resource", name: "watched", description: "A text.", mimeType: "text/plain" },
] as const;

const resources: PackResources = {
  list,
  templates: [{ uriTemplate: "test://template/{id}/data", name: "data of an id", mimeType: "application/json" }],
  owns: (uri) => template.test(uri) || list.some((one) => one.uri === uri),
  async read(uri) {
    const id = template.exec(uri)?.[1];
    if (id !== undefined) {
      const text = JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` });
      return [{ uri, mimeType: "application/json", text }];
    }
    const listed = list.find((one) => one.uri === uri);
    if (listed === undefined) throw new ToolError("not_found", `there is no resource ${uri}`);
    const { mimeType } = listed;
    if (mimeType === "image/png") return [{ uri, mimeType, blob: png }];
    return [{ uri, mimeType, text: "This is the content of the static text resource." }];
  },
};

/** The tools, prompts and resources that the conformance suite of MCP calls by name. */
export default definePack({
  name: "conformance",
  description: "What the conformance suite of MCP calls.",
  budget: 3_000,
  tools: () => [...contentTools, ...askingTools],
  prompts: () => prompts,
  resources: () => resources,
});
