import { CODING_AGENTS, codingAgent, type CodingAgent } from '../../agents/catalogue.ts';
import { FleetError, quote } from '../../domain/values/errors.ts';
import { nearest } from '../../domain/values/text.ts';

/** The coding agent that a word of the command line names. */
export function knownCodingAgent(name: string): CodingAgent {
  const agent = codingAgent(name);
  if (agent !== undefined) return agent;
  const names = CODING_AGENTS.map((each) => each.name);
  const hint = nearest(name, names);
  throw new FleetError(
    'NOT_FOUND',
    `There is no coding agent ${quote(name)}. ${hint === undefined ? `There are: ${names.join(', ')}.` : `Did you mean "${hint}"?`}`,
    { field: 'name' },
  );
}
