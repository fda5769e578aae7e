// Does what it should: echoes, adds, waits with progress, asks its user, changes its tools, says who it is.
import { appendFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import { notify, speak, text } from './speak.mjs';

const object = (properties = {}, rest = {}) => ({ type: 'object', properties, ...rest });
let grown = false;
let log = process.env.LAB_LOG;
if (log !== undefined) appendFileSync(log, `started ${process.pid}\n`);

speak(() => [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Says what it is told; it would never delete, drop or destroy anything',
    inputSchema: object(
      {
        value: { type: 'string' },
        kind: { enum: ['a', 'b'] },
        deep: object({ list: { type: 'array', items: { type: 'integer' } } }),
      },
      { required: ['value'] },
    ),
    annotations: { readOnlyHint: true, title: 'Echo it' },
    _meta: { 'lab/known': true },
    icons: [{ src: 'data:,' }],
    unknownMember: { kept: [1, 2] },
    call: ({ value }) => ({ ...text(value), structuredContent: { value }, _meta: { 'lab/result': value } }),
  },
  {
    name: 'add',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, { required: ['a', 'b'] }),
    call: ({ a, b }) => text(String(a + b)),
  },
  {
    name: 'whoami',
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: () => text(String(process.pid)),
  },
  { name: 'fail', inputSchema: object(), call: () => ({ ...text('it went wrong'), isError: true }) },
  {
    name: 'drop',
    inputSchema: object({ what: { type: 'string' } }),
    annotations: { destructiveHint: true },
    call: ({ what }) => {
      if (log !== undefined) appendFileSync(log, `dropped ${what}\n`);
      return text(`dropped ${what}`);
    },
  },
  {
    name: 'slow',
    inputSchema: object({ steps: { type: 'integer' }, step_ms: { type: 'integer' } }),
    call: async ({ steps = 3, step_ms = 20 }, { progress, isCanceled }) => {
      for (let step = 1; step <= steps; step++) {
        await delay(step_ms);
        if (isCanceled()) {
          if (log !== undefined) appendFileSync(log, `canceled at ${step}\n`);
          return text('canceled');
        }
        progress({ progress: step, total: steps, message: `step ${step}` });
      }
      return text('done');
    },
  },
  {
    name: 'ask',
    inputSchema: object(),
    call: async (_args, { ask }) => {
      const answer = await ask('elicitation/create', {
        message: 'Which colour?',
        requestedSchema: { type: 'object', properties: { colour: { type: 'string' } }, required: ['colour'] },
      });
      return text(JSON.stringify(answer));
    },
  },
  {
    name: 'grow',
    inputSchema: object(),
    call: () => {
      grown = true;
      notify('notifications/tools/list_changed');
      return text('grown');
    },
  },
  {
    name: 'environment',
    inputSchema: object({ name: { type: 'string' } }),
    annotations: { readOnlyHint: true },
    call: ({ name }) => text(String(process.env[name])),
  },
  {
    name: 'meta',
    inputSchema: object(),
    annotations: { readOnlyHint: true },
    call: (_args, { params }) => text(JSON.stringify(params)),
  },
  { name: 'exit', inputSchema: object(), call: () => process.exit(7) },
  ...(grown ? [{ name: 'grown', inputSchema: object(), call: () => text('here') }] : []),
]);
