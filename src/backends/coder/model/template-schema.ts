import { z } from 'zod';

export const templateSchema = z.object({
  id: z.string(),
  name: z.string(),
  display_name: z.string().default(''),
  description: z.string().default(''),
  organization_id: z.string(),
  organization_name: z.string().default(''),
  active_version_id: z.string(),
  deprecated: z.boolean().default(false),
});

export const templatesSchema = z
  .array(templateSchema)
  .nullish()
  .transform((templates) => templates ?? []);

/** Written as Go has them; null when a version has none. */
export const presetsSchema = z
  .array(
    z.object({
      ID: z.string(),
      Name: z.string(),
      Default: z.boolean().default(false),
      Description: z.string().default(''),
      Parameters: z
        .array(z.object({ Name: z.string(), Value: z.string() }))
        .nullish()
        .transform((parameters) => parameters ?? []),
    }),
  )
  .nullish()
  .transform((presets) => presets ?? []);

export const richParametersSchema = z
  .array(
    z.object({
      name: z.string(),
      mutable: z.boolean().default(false),
      required: z.boolean().default(false),
      default_value: z.string().default(''),
    }),
  )
  .nullish()
  .transform((parameters) => parameters ?? []);

export type Template = z.output<typeof templateSchema>;
