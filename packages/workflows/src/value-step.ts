import { defineStepType } from "@toolpacks/core";
import { z } from "zod";

/** `value`: builds a value from earlier results. */
export const valueStep = defineStepType({
  name: "value",
  description: "Makes a value of earlier results: what its params come to.",
  mutates: false,
  params: z.looseObject({}),
  run: (params) => params,
});
