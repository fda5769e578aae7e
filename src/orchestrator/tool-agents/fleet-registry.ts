import { OWN_SERVER } from '../../domain/values/view.ts';
import type { Fleet } from '../../fleet/fleet.ts';
import { invoke } from '../../operations/invoke.ts';
import { schemasOf } from '../../operations/operation-schemas.ts';
import { OPERATIONS } from '../../operations/table.ts';
import type { ToolRegistry } from './tool-registry.ts';

/** The fleet's own operations as a registry of tools. */
export function fleetRegistry(fleet: Fleet): ToolRegistry {
  return {
    id: OWN_SERVER,
    name: 'Fleet',
    capabilities: ['coding-agents'],
    tools: OPERATIONS.map((operation) => ({
      name: operation.name,
      description: operation.description,
      parameters: schemasOf(operation).input,
      annotations: {
        readOnlyHint: operation.hints.readOnly,
        destructiveHint: operation.hints.destructive,
        idempotentHint: operation.hints.idempotent,
      },
      run: (args, { caller, signal, onProgress }) => {
        let progress = 0;
        return invoke(operation, args, {
          fleet,
          caller,
          ...(signal === undefined ? {} : { signal }),
          progress: (message) => onProgress?.({ progress: (progress += 1), message }),
        });
      },
    })),
  };
}
