import { z } from 'zod';
import { name, someText } from './config-texts.ts';

export const viewName = z
  .string()
  .regex(/^[a-z0-9]+(-[a-z0-9]+)*$/, 'must be lowercase letters, digits and hyphens');

export const moduleName = z
  .string()
  .regex(/^(?!fleet$)[a-z][a-z0-9]*$/, 'must be lowercase letters and digits, and not fleet');

export const viewSchema = z.strictObject({
  servers: z
    .array(name)
    .optional()
    .describe("Servers of mcpServers whose tools it shows; fleet is the fleet's own operations"),
  tools: z.array(someText).optional().describe('Names of the tools that it shows, with * for any characters'),
  read_only: z.boolean().optional().describe('true: only tools that say that they only look'),
});
