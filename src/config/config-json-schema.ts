import { mcpServerSchema } from './mcp-server-schema.ts';
import { z } from 'zod';
import { AGENT_KINDS_WITH_COMMAND, configSchema, roleSchema, rolesSchema } from './config-schema.ts';
import { BUILT_IN_ROLES } from './built-in-roles.ts';

type JsonSchema = z.core.JSONSchema.BaseSchema;

const COMMAND_RULE: JsonSchema = {
  if: { properties: { agent: { enum: [...AGENT_KINDS_WITH_COMMAND] } }, required: ['agent'] },
  // oxlint-disable-next-line unicorn/no-thenable
  then: { required: ['command'] },
  else: { not: { required: ['command'] } },
};

/** A project of this machine needs a repository; on Coder its template has it. */
const REPOSITORY_RULE: JsonSchema = {
  if: { properties: { backend: { const: 'local' } } },
  // oxlint-disable-next-line unicorn/no-thenable
  then: {
    properties: {
      projects: {
        additionalProperties: { anyOf: [{ required: ['repository'] }, { required: ['backend'] }] },
      },
    },
  },
};

/** The published schema of fleet.yaml: the shape, and of the rules between keys those that JSON Schema can say. */
export function configJsonSchema(): JsonSchema {
  return {
    $id: 'https://unpkg.com/fleet-mcp/schema/fleet.schema.json',
    title: 'fleet.yaml',
    description: 'Configuration of Fleet',
    ...z.toJSONSchema(configSchema, { io: 'input', override: addRules }),
    allOf: [REPOSITORY_RULE],
  };
}

function addRules({ zodSchema, jsonSchema }: { zodSchema: z.core.$ZodTypes; jsonSchema: JsonSchema }): void {
  if (is(zodSchema, mcpServerSchema)) {
    jsonSchema.oneOf = [{ required: ['command'] }, { required: ['url'] }];
  }
  if (is(zodSchema, roleSchema)) {
    jsonSchema.not = { required: ['system_prompt', 'system_prompt_file'] };
    jsonSchema.allOf = [COMMAND_RULE];
  }
  if (is(zodSchema, rolesSchema)) {
    const role = { $ref: '#/$defs/role' };
    jsonSchema.patternProperties = { [builtInPattern()]: role };
    jsonSchema.additionalProperties = { ...role, required: ['agent'] };
  }
}

function is(schema: z.core.$ZodTypes, wanted: z.core.$ZodType): boolean {
  return (schema as z.core.$ZodType) === wanted;
}

/** JSON Schema's patterns have no flag to ignore case. */
function builtInPattern(): string {
  const eitherCase = (letter: string) => `[${letter.toUpperCase()}${letter.toLowerCase()}]`;
  return `^(${BUILT_IN_ROLES.map(({ name }) => name.replace(/[a-z]/g, eitherCase)).join('|')})$`;
}
