import { it } from 'vitest';
import { expectUpToDate } from './generated.ts';

it('the transcript is up to date', () => expectUpToDate('transcript.ts'), 120_000);
