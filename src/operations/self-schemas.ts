import { schemasOf, type ObjectSchema } from './operation-schemas.ts';
import type { Operation } from './operation.ts';
import { reportTask } from './report-task.ts';
import { setAgentMetadata } from './set-agent-metadata.ts';
import { startAgentTask } from './start-agent-task.ts';

const SELF_OPERATIONS: readonly Operation[] = [reportTask, setAgentMetadata, startAgentTask];

/** What the runner decides when an agent calls for itself. */
const DECIDED = ['agent_name', 'when_busy', 'idempotency_key'];

/** The inputs of the tools by which an agent speaks of itself. The small program that offers them loads no schema library. */
export function selfSchemas(): Readonly<Record<string, ObjectSchema>> {
  return Object.fromEntries(
    SELF_OPERATIONS.map((operation) => {
      const { properties, required, ...rest } = schemasOf(operation).input;
      const kept = Object.entries(properties).filter(([name]) => !DECIDED.includes(name));
      return [
        operation.name,
        {
          ...rest,
          properties: Object.fromEntries(kept),
          required: required.filter((name) => !DECIDED.includes(name)),
        },
      ];
    }),
  );
}
