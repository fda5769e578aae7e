import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { upstream } from '../orchestrator/upstream-place.ts';
import { runFleet, serveFleet, type ServedFleet } from '../support/fleets/fleet-process.ts';
import { signalFile, until } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { chatEvents, type Told } from './chat-events.ts';
import { ChatTerminal, SCRIPT } from './chat-terminal.ts';
import { sentText, sessionPlace, type SessionPlace } from './session-place.ts';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace((config) => {
    config['mcpServers'] = { form: upstream('form'), lab: upstream('plain'), modern: upstream('inquirer') };
  });
});
afterAll(() => place[Symbol.asyncDispose]());

const steps = (tool: string, input: Record<string, unknown> = {}) => [
  { tool, input },
  { text: 'That was it.' },
];
/** What the model was sent last, without the escapes of strings inside strings. */
const sent = (): string => sentText(place.model.requests.at(-1)).replaceAll('\\', '');

describe('a question of an MCP server in fleet ask without a terminal', () => {
  it.each(['lab__ask', 'form__address', 'modern__once'])('is declined, and %s says so', async (tool) => {
    const { calls, notices } = await place.askJson(steps(tool), '--yes', tool);
    expect(calls).toMatchObject([{ tool, failed: false }]);
    const sentence = `${tool} asked the user a question, which was declined: there is no terminal to ask on.`;
    expect(notices).toEqual([sentence]);
    expect(sent()).toContain(sentence);
  });
});

describe.skipIf(SCRIPT === undefined)('a question of an MCP server at a terminal (needs script)', () => {
  it('is asked field by field, and again when a value does not fit [SES-questions]', async () => {
    await using terminal = new ChatTerminal(100, place.env);
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('form__several'))}\r`);
    await terminal.sees('The MCP server "form" asks: How should the report look?');
    await terminal.sees('red: Bright red');
    await terminal.sees('colour (one of: red, green): ');
    terminal.type('blue\r');
    await terminal.sees('not "blue"');
    await terminal.sees('colour (one of: red, green): ');
    terminal.type('green\r');
    await terminal.sees('pages (a whole number (at least 1)): ');
    terminal.type('3\r');
    await terminal.sees('note (text, optional): ');
    terminal.type('\r');
    await terminal.sees('That was it.');
    expect(sent()).toContain('{"action":"accept","content":{"colour":"green","pages":3}}');
  });

  it('is declined by an empty line, or by a no', async () => {
    await using terminal = new ChatTerminal(100, place.env);
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('lab__ask'))}\r`);
    await terminal.sees('colour (text): ');
    terminal.type('\r');
    await terminal.sees('That was it.');
    expect(sent()).toContain('{"action":"decline"}');
    expect(sent()).toContain('The user declined the question of lab__ask.');
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('form__optional'))}\r`);
    await terminal.sees('Answer? [y/N] ');
    terminal.type('n\r');
    await terminal.sees('That was it.');
    expect(sent()).toContain('The user declined the question of form__optional.');
  });

  it('can be an address to open, and come after the approval of the call', async () => {
    await using terminal = new ChatTerminal(100, place.env);
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('form__address'))}\r`);
    await terminal.sees('https://example.com/sign-in');
    await terminal.sees('Accept? [y/N] ');
    terminal.type('y\r');
    await terminal.sees('That was it.');
    expect(sent()).toContain('{"action":"accept"}');
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('modern__once'))}\r`);
    await terminal.sees('Allow modern__once?');
    terminal.type('y\r');
    await terminal.sees('The MCP server "modern" asks: Why?');
    await terminal.sees('answer (text): ');
    terminal.type('spring\r');
    await terminal.sees('That was it.');
    expect(sent()).toContain('done because of spring');
  });

  it('is stopped by Ctrl-C, and taken away when the call is over', async () => {
    await using terminal = new ChatTerminal(100, place.env);
    await terminal.sees('> ');
    terminal.type(`${scriptText(steps('lab__ask'))}\r`);
    await terminal.sees('colour (text): ');
    terminal.type('\u0003');
    await terminal.sees('Stopped.');
    await terminal.sees('> ');
    const file = signalFile(place.fleet, 'dropped');
    terminal.type(`${scriptText(steps('form__dropped', { until: file }))}\r`);
    await terminal.sees('note (text): ');
    writeFileSync(file, '');
    await terminal.sees('That was it.');
    await terminal.sees('> ');
    terminal.type(`${scriptText([{ text: 'Still here.' }])}\r`);
    await terminal.sees('\nStill here.');
  });

  it('is asked by fleet ask as well', async () => {
    await using terminal = new ChatTerminal(100, place.env, ['ask', scriptText(steps('lab__ask'))]);
    await terminal.sees('colour (text): ');
    terminal.type('blue\r');
    await terminal.sees('That was it.');
    await terminal.ended;
    expect(sent()).toContain('{"action":"accept","content":{"colour":"blue"}}');
  });
});

describe('a question of an MCP server over HTTP', () => {
  let served: ServedFleet;
  beforeAll(async () => {
    served = await serveFleet(place.env);
  });
  afterAll(() => served[Symbol.asyncDispose]());

  const post = (tool: string, signal?: AbortSignal): Promise<Response> =>
    fetch(`${served.url}/api/v1/chat`, {
      method: 'POST',
      headers: { authorization: `Bearer ${served.token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ message: scriptText(steps(tool)) }),
      ...(signal === undefined ? {} : { signal }),
    });

  it('is a pending question that a person answers or declines', async () => {
    const answers = [
      ['approve', '--answer', '{"colour": "red", "pages": 2}'],
      ['deny', '--note', 'not now'],
    ] as const;
    for (const [command, ...rest] of answers) {
      const told: Told[] = [];
      for await (const each of chatEvents(await post('form__several'))) {
        told.push(each);
        if (each.event !== 'question') continue;
        const finished = await runFleet([command, String(each.data['id']), ...rest], { env: place.env });
        expect(finished).toMatchObject({ code: 0 });
      }
      expect(told.find(({ event }) => event === 'question')?.data).toMatchObject({
        tool: 'form__several',
        message: 'The MCP server "form" asks: How should the report look?',
        schema: { required: ['colour', 'pages'] },
      });
      expect(told.at(-1)?.data).toMatchObject({ state: 'closed' });
      if (command === 'approve') expect(sent()).toContain('"content":{"colour":"red","pages":2}');
      else expect(sent()).toContain('A person declined the question of form__several: not now.');
    }
  });

  it('is closed when the client goes', async () => {
    const leave = new AbortController();
    const reading = (async () => {
      for await (const { event } of chatEvents(await post('lab__ask', leave.signal)))
        if (event === 'question') leave.abort();
    })();
    await expect(reading).rejects.toThrow(/abort/i);
    await until(
      async () => (await served.request('GET', '/api/v1/approvals')).body['total_count'],
      (count) => count === 0,
    );
  });
});
