import { z } from 'zod';
import {
  METADATA_KEY_LIMIT,
  METADATA_KEY_PATTERN,
  METADATA_VALUE_LIMIT,
} from '../domain/metadata/metadata.ts';
import { defineOperation, SET } from './operation.ts';
import { agentName } from './inputs.ts';

export const setAgentMetadata = defineOperation({
  name: 'set_agent_metadata',
  title: 'Set metadata',
  description: 'Set or remove one fleet_mcp_… key-value of an agent, for example fleet_mcp_pull_request_url.',
  input: z.strictObject({
    agent_name: agentName,
    key: z
      .string()
      .min(1)
      .max(1000)
      .meta({ maxLength: METADATA_KEY_LIMIT, pattern: METADATA_KEY_PATTERN.source })
      .describe('Starts with fleet_mcp_'),
    value: z
      .string()
      .max(1_000_000)
      .meta({ maxLength: METADATA_VALUE_LIMIT })
      .nullable()
      .describe('At most 4096 bytes; null removes the key'),
  }),
  output: z.object({ agent_name: z.string(), key: z.string(), value: z.string().nullable() }),
  scopes: ['operate', 'self'],
  hints: SET,
  route: { method: 'PUT', path: '/agents/{agent_name}/metadata/{key}' },
  handle: ({ fleet, caller }, input) => fleet.setMetadata(input, caller),
});
