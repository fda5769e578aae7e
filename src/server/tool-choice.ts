import { FleetError, quote } from '../domain/values/errors.ts';
import type { Caller } from '../domain/principal.ts';
import { nearest } from '../domain/values/text.ts';

const CHOICES = ['default', 'all'];

/** The caller with the tools that it asks for, by `fleet mcp --tools` or `/mcp?tools=`. */
export function withTools(caller: Caller, choice: string | undefined): Caller {
  if (choice === undefined || choice === 'default') return caller;
  if (choice === 'all') return { ...caller, all_tools: true };
  const hint = nearest(choice, CHOICES);
  const meant = hint === undefined ? '' : ` Did you mean "${hint}"?`;
  throw new FleetError(
    'INVALID_INPUT',
    `${quote(choice)} is not a choice of tools: they are ${CHOICES.join(', ')}.${meant}`,
    { field: 'tools' },
  );
}
