import { detail } from "@toolpacks/core";
import { pathField } from "@toolpacks/core/roots";
import { z } from "zod";

const globField = z.string().min(1).max(1000);

/** Input fields of several tools. */
export const whereField = pathField.optional().meta(detail("file or folder to search in; default all"));

export const globsField = z.array(globField).max(50).optional();

export const globsDetail = detail("files to search, such as *.ts or src/**; with ! in front, not to search");

export const ignoredField = z.boolean().optional().meta(detail("search what .gitignore leaves out, too"));

export const hiddenField = z.boolean().optional().meta(detail("search files and folders that begin with a dot, too"));

export const limitField = z
  .int()
  .min(0)
  .max(5000)
  .optional()
  .meta(detail("most hits in one answer; 0 for the total only"));

export const nextField = z.string().max(13_000).optional().meta(detail("of an earlier page, for the next one"));
