// Asks its user: a form of several fields, a form that may stay empty, an address to open, and a question that it drops.
import { existsSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { speak, text } from './speak.mjs';

const inputSchema = { type: 'object' };
const elicit = (ask, params) => ask('elicitation/create', params);
const form = (properties, required = []) => ({
  message: 'How should the report look?',
  requestedSchema: { type: 'object', properties, required },
});

speak(() => [
  {
    name: 'several',
    inputSchema,
    call: async (_args, { ask }) => {
      const colour = {
        oneOf: [
          { const: 'red', title: 'Bright red' },
          { const: 'green', title: 'Green' },
        ],
      };
      const properties = {
        colour: { type: 'string', ...colour },
        pages: { type: 'integer', minimum: 1 },
        note: { type: 'string' },
      };
      return text(JSON.stringify(await elicit(ask, form(properties, ['colour', 'pages']))));
    },
  },
  {
    name: 'optional',
    inputSchema,
    call: async (_args, { ask }) =>
      text(JSON.stringify(await elicit(ask, form({ note: { type: 'string' } })))),
  },
  {
    name: 'address',
    inputSchema,
    call: async (_args, { ask }) => {
      const params = {
        mode: 'url',
        elicitationId: '1',
        url: 'https://example.com/sign-in',
        message: 'Sign in.',
      };
      return text(JSON.stringify(await elicit(ask, params)));
    },
  },
  {
    name: 'dropped',
    inputSchema,
    call: async ({ until }, { ask }) => {
      void elicit(ask, form({ note: { type: 'string' } }, ['note']));
      while (!existsSync(until)) await delay(20);
      return text('I did not wait.');
    },
  },
]);
