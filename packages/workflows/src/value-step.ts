import { defineStepType } from "@toolpacks/core";
import { z } from "zod";

/** `value`: puts a value together from earlier results, as its params say. */
export const valueStep = defineStepType({
  name: "value",
  description: "Makes a value of earlier results: what its params come to.",
  mutates: false,
  params: z.looseObject({}),
  run: (params) => params,
});
