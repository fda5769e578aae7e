import { it } from 'vitest';
import { expectUpToDate } from './generated.ts';

it('pages of operations and commands are up to date', () => expectUpToDate('make-reference.ts'), 120_000);
