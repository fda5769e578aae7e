import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { until } from '../support/fleets/fleet-under-test.ts';
import { scriptText } from '../support/model-server/model-script.ts';
import { ChatTerminal, SCRIPT } from './chat-terminal.ts';
import { sessionPlace, type SessionPlace } from './session-place.ts';

const CTRL_C = '\u0003';

let place: SessionPlace;
beforeAll(async () => {
  place = await sessionPlace();
});
afterAll(() => place[Symbol.asyncDispose]());

const start = (...args: string[]) => new ChatTerminal(100, place.env, args);
const pullOf = (name: string) => place.model.pulls.findLast(({ model }) => model === name)?.state;

describe.skipIf(SCRIPT === undefined)(
  'a model that Ollama does not have, at a terminal (needs script)',
  () => {
    it('is pulled on a yes, with progress, and answers then [SES-pull]', async () => {
      await using terminal = start('chat', '--model', 'fresh');
      await terminal.sees(
        'The model server does not have the model "fresh". It has: scripted:latest, talker:latest.',
      );
      await terminal.sees('Pull fresh now? [y/N] ');
      expect(place.model.pulls).toEqual([]);
      terminal.type('y\r');
      await terminal.sees('pulling manifest');
      await terminal.sees('pulling 6a0746a1ec1a 1.0 MB of 2.0 MB');
      await terminal.sees('success');
      await terminal.sees('fresh:latest on ollama');
      await terminal.sees('> ');
      terminal.type(`${scriptText([{ text: 'I am new here.' }])}\r`);
      await terminal.sees('\nI am new here.');
    });

    it('is not pulled on a no', async () => {
      await using terminal = start('chat', '--model', 'unwanted');
      await terminal.sees('Pull unwanted now? [y/N] ');
      terminal.type('\r');
      await terminal.sees('Pull it with: ollama pull unwanted');
      await terminal.ended;
      expect(pullOf('unwanted')).toBeUndefined();
    });

    it('is no longer pulled after Ctrl-C, and the conversation keeps its model', async () => {
      await using terminal = start('chat');
      await terminal.sees('> ');
      terminal.type('/model endless\r');
      await terminal.sees('Pull endless now? [y/N] ');
      terminal.type('y\r');
      await terminal.sees('1.0 MB of 2.0 MB');
      terminal.type(CTRL_C);
      await terminal.sees('Stopped: endless was not pulled.');
      await until(
        async () => pullOf('endless'),
        (state) => state === 'stopped',
      );
      await terminal.sees('> ');
      terminal.type('/model\r');
      await terminal.sees('scripted:latest on ollama');
    });

    it('that the registry does not have either ends the command with its reason', async () => {
      await using terminal = start('ask', '--model', 'unknown', 'hello');
      await terminal.sees('Pull unknown now? [y/N] ');
      terminal.type('y\r');
      await terminal.sees('pull model manifest: file does not exist');
      await terminal.ended;
    });
  },
);
