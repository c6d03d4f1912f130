/** A third-party pack in plain JavaScript. Its tools print, throw, and wait. */
export const roughPack = `
const tool = (name, run, more = {}) => ({
  name, description: name.replaceAll("_", " ") + ".", mutates: false, effects: {}, keywords: [], examples: [], aliases: [], media: false,
  input: { json: () => ({ type: "object" }), full: () => ({ type: "object" }), check: (value) => ({ ok: true, value }) },
  run, render: JSON.stringify, ...more,
});
const tools = [
  tool("rough_print", () => { console.log("printed by a tool"); return { printed: true }; }),
  tool("rough_throw", () => { throw new Error("inner detail"); }),
  tool("rough_wait", (_, { signal }) => new Promise((resolve, reject) => {
    const timer = setTimeout(() => resolve({ waited: true }), 20_000);
    signal.addEventListener("abort", () => { clearTimeout(timer); reject(signal.reason); });
  })),
];
export default () => ({ name: "rough", description: "Misbehaves.", budget: 500, kinds: [], withheld: [], tools: async () => tools, registerWith: async () => {} });
`;
