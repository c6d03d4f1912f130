import { detail } from "@toolpacks/core";
import { pathField } from "@toolpacks/files";
import { z } from "zod";

const globField = z.string().min(1).max(1000);

export const whereField = pathField.optional().meta(detail("file or folder; default: all"));

export const globsField = z.array(globField).max(50).optional();

export const globsDetail = detail("such as *.ts or src/**; ! in front leaves out");

export const ignoredField = z.boolean().optional().meta(detail("what git ignores, too"));

export const hiddenField = z.boolean().optional().meta(detail("names that begin with a dot, too"));

export const limitField = z
  .int()
  .min(0)
  .max(5000)
  .optional()
  .meta(detail("most hits in one answer; 0 for the total only"));

export const nextField = z.string().max(13_000).optional().meta(detail("of an earlier page, for the next one"));
