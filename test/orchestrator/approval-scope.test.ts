import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

let fleet: LocalFleet;
let served: ServedFleet;
beforeAll(async () => {
  fleet = fleetWith({ lab: upstream('plain') });
  served = await serveFleet(fleet.env);
});
afterAll(async () => {
  await served[Symbol.asyncDispose]();
  await fleet[Symbol.asyncDispose]();
});

describe.each(['legacy', 'auto'] as const)('the user of a client with a token: %s', (mode) => {
  const drop = async (scopes: string, what: string) => {
    const made = await runFleet(['token', 'create', what, '--scopes', scopes], { env: fleet.env });
    expect(made.code, made.stderr).toBe(0);
    const allow = () => ({ action: 'accept', content: { allow: true } }) as const;
    await using client = await askableClient(mode, { ...served, token: made.stdout.trim() }, allow);
    const { content } = await client.call('lab__drop', { what });
    return { text: content[0]?.text, questions: client.questions.length };
  };

  it('is not asked when the token was made without the scope approve [MCP-approval-not-token]', async () => {
    const { text, questions } = await drop('read,operate', `without-${mode}`);
    expect(text).toContain('APPROVAL_REQUIRED');
    expect(questions).toBe(0);
  });

  it('is asked when it has it', async () => {
    const what = `with-${mode}`;
    expect(await drop('read,operate,approve', what)).toEqual({ text: `dropped ${what}`, questions: 1 });
  });
});
