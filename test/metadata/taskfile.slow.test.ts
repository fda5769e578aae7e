import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { AgentView } from '../../src/domain/agent.ts';
import { findRun } from '../../src/platform/processes/process-tree.ts';
import { metadataMarker } from '../../src/runner/programs/metadata-place.ts';
import {
  agentOf,
  agentsOf,
  askAs,
  idleAgent,
  logOf,
  until,
  waitIdle,
  type Ask,
} from '../support/fleets/fleet-under-test.ts';
import { runFleet } from '../support/fleets/fleet-process.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/installs/go-task.ts';
import type { LocalFleet } from '../support/fleets/local-fleet.ts';
import { commitFiles, taskfileFleet } from './taskfile-fleet.ts';

const bin = goTask();

const TASKFILE = `
version: '3'
dotenv: [.env.meta]
vars: {GREETING: hello}
output: prefixed
includes:
  docs: ./docs
  flat: {taskfile: ./flat.yaml, flatten: true}
  gone: {taskfile: ./gone.yml, optional: true}
tasks:
  build: echo not a field
  lint: {desc: No field either., cmd: echo not a field}
  number: {desc: The number of the pull request., meta: {include_in_list: true}, cmd: echo 810}
  text: {desc: ' Its status. ', meta: {include_in_list: true}, cmd: 'echo "  open  "'}
  empty: {meta: {include_in_list: true}, cmd: 'true'}
  failing: {meta: {include_in_list: true}, cmd: 'echo no pull request here >&2; exit 3'}
  hanging: {meta: {include_in_list: false}, cmds: [touch "$MARK/begun", 'sleep 3600 & sleep 3600']}
  huge: {meta: {include_in_list: false}, cmd: 'yes huge'}
  missing: {meta: {include_in_list: false}, cmd: no-such-program}
  json: {meta: {include_in_list: false}, cmd: 'echo "{\\"tests\\": 12, \\"green\\": true}"'}
  "it's": {desc: It's apostrophes, meta: {include_in_list: false}, cmd: 'echo "it''s fine"'}
  wrong: {meta: {include_in_list: maybe}, cmd: echo still here}
  bare: {meta: , cmd: echo bare}
  vars: {meta: {include_in_list: false}, cmd: 'echo "{{.GREETING}} $FROM_DOTENV"'}
  inside: {internal: true, meta: {include_in_list: true}, cmd: echo no}
  A=B: {meta: {include_in_list: false}, cmd: echo no}
  -x: {meta: {include_in_list: false}, cmd: echo no}
  ${'k'.repeat(300)}: {meta: {include_in_list: false}, cmd: echo long}
  default: touch "$MARK/default"
`;

const FILES = {
  'Taskfile.yml': TASKFILE,
  '.env.meta': 'FROM_DOTENV=from dotenv\n',
  'docs/taskfile.dist.yaml': `version: '3'\ntasks:\n  pages: {desc: How many., meta: {include_in_list: true}, cmd: echo 7}\n`,
  'flat.yaml': `version: '3'\ntasks:\n  flattened: {meta: {include_in_list: false}, cmd: echo '"810"'}\n`,
};

describe.skipIf(bin === undefined)(`the fields of a Taskfile${WITHOUT_GO_TASK}`, () => {
  let fleet: LocalFleet;
  let ask: Ask;
  let sony: AgentView;

  beforeAll(async () => {
    fleet = taskfileFleet(bin ?? '', FILES, (config) => {
      for (const role of Object.values(config.roles))
        role['env'] = { ...(role['env'] as object), MARK: '${FLEET_HOME}/..' };
    });
    ask = askAs(fleet.fleet);
    await idleAgent(ask, 'sony');
    sony = await collected(ask, 'sony');
  }, 300_000);
  afterAll(() => fleet[Symbol.asyncDispose]());

  it('are the tasks with meta, each with its value, error and schema [MD-show-shape, MD-meta-key]', () => {
    expect(Object.keys(sony.metadata)).toEqual(
      "number text empty failing hanging huge missing json it's wrong bare vars A=B -x LONG docs:pages flattened"
        .replace('LONG', 'k'.repeat(256))
        .split(' '),
    );
    for (const field of Object.values(sony.metadata)) {
      expect(field).toEqual({
        value: field.value,
        error: field.error === null ? null : expect.any(String),
        schema: { description: expect.any(String), include_in_list: expect.any(Boolean) },
      });
    }
    expect(sony.metadata['number']?.schema).toEqual({
      description: 'The number of the pull request.',
      include_in_list: true,
    });
    expect(sony.metadata['text']?.schema.description).toBe('Its status.');
    expect(sony.metadata['docs:pages']).toMatchObject({ value: 7, schema: { description: 'How many.' } });
  });

  it('keep the type of JSON, and all else is text [MD-show-value-types]', () => {
    const values = valuesOf(sony);
    expect(values).toMatchObject({ number: 810, json: { tests: 12, green: true }, flattened: '810' });
    expect(values).toMatchObject({ text: 'open', "it's": "it's fine", vars: 'hello from dotenv' });
  });

  it('are what was printed, trimmed, and null when that is nothing [MD-trim]', () => {
    expect(sony.metadata['text']).toMatchObject({ value: 'open', error: null });
    expect(sony.metadata['empty']).toMatchObject({ value: null, error: null });
  });

  it('that fail say why, and hide no other [MD-partial, MD-count-total]', () => {
    expect(sony.metadata['failing']).toMatchObject({
      value: null,
      error: expect.stringContaining('exit code 3'),
    });
    expect(sony.metadata['failing']?.error).toContain('no pull request here');
    expect(sony.metadata['missing']?.error).toContain('no-such-program');
    for (const name of ['A=B', '-x'])
      expect(sony.metadata[name]).toMatchObject({ value: null, error: expect.stringContaining('rename it') });
    expect(existsSync(join(fleet.directory, 'default'))).toBe(false);
    expect(sony.metadata_count).toBe(17);
  });

  it('with a wrong or missing include_in_list say so and are not listed [MD-meta-wrong]', async () => {
    expect(sony.metadata['wrong']).toMatchObject({
      value: 'still here',
      error: expect.stringContaining('"maybe"'),
      schema: { include_in_list: false },
    });
    expect(sony.metadata['bare']).toMatchObject({
      value: 'bare',
      error: expect.stringContaining('no include_in_list'),
      schema: { include_in_list: false },
    });
  });

  it('that print too much, or have too long a name, are cut off and say so [MD-size-limits]', () => {
    expect(sony.metadata['huge']?.value).toBe('huge\n'.repeat(820).slice(0, 4096));
    expect(sony.metadata['huge']?.error).toContain('4096');
    expect(sony.metadata['k'.repeat(256)]).toMatchObject({
      value: 'long',
      error: expect.stringContaining('256'),
    });
  });

  it('that take too long are ended with all that they started [MD-limit]', async () => {
    expect(sony.metadata['hanging']).toMatchObject({ value: null, error: expect.stringContaining('5 s') });
    expect(existsSync(join(fleet.directory, 'begun'))).toBe(true);
    await until(
      async () => findRun(metadataMarker(sony.workspace_id)),
      (left) => left.length === 0,
    );
  });

  it('are in a list as plain values, those alone that are meant for it [MD-list-values, MD-list-null]', async () => {
    const listed = (await agentsOf(ask)).find(({ name }) => name === 'sony');
    expect(listed?.metadata).toEqual({
      number: 810,
      text: 'open',
      empty: null,
      failing: null,
      'docs:pages': 7,
    });
    expect(listed).toMatchObject({ metadata_count: 17, metadata_collected_at: expect.any(String) });
  });

  it('stay as they were stored while the agent is stopped, and no look starts it [MD-no-wake, AGENT-metadata-collected-at]', async () => {
    await ask('stop_agent', { agent_name: 'sony' });
    const before = await agentOf(ask, 'sony');
    writeFileSync(join(fleet.home, 'agents', sony.workspace_id, 'work', 'Taskfile.yml'), `version: '3'\n`);
    const after = await agentOf(ask, 'sony');
    expect(after).toMatchObject({ status: 'stopped', metadata: before.metadata });
    expect(after.metadata['number']?.value).toBe(810);
    expect(after.metadata_collected_at).toBe(before.metadata_collected_at);
    expect(Date.parse(after.metadata_collected_at ?? '')).toBeGreaterThanOrEqual(Date.parse(sony.created_at));
    await ask('restart_agent', { agent_name: 'sony' });
    const again = await until(
      () => agentOf(ask, 'sony'),
      ({ metadata_count }) => metadata_count === 0,
    );
    expect(Date.parse(again.metadata_collected_at ?? '')).toBeGreaterThan(
      Date.parse(after.metadata_collected_at ?? ''),
    );
  });
});

describe.skipIf(bin === undefined)(`a look at an agent with a Taskfile${WITHOUT_GO_TASK}`, () => {
  let fleet: LocalFleet;
  let ask: Ask;

  beforeAll(() => {
    fleet = taskfileFleet(bin ?? '', {
      'Taskfile.yml': `version: '3'\ntasks:\n  now: {meta: {include_in_list: false}, cmd: cat value}\n`,
      value: 'one',
    });
    ask = askAs(fleet.fleet);
  });
  afterAll(() => fleet[Symbol.asyncDispose]());

  it('sees what the work has become, and moves updated_at with it; a list has no value that is not meant for it [MD-all-excluded]', async () => {
    const { workspace_id } = await idleAgent(ask, 'live');
    let before = '';
    for (const value of ['two', 'three', 'four']) {
      writeFileSync(join(fleet.home, 'agents', workspace_id, 'work', 'value'), value);
      const seen = await until(
        () => agentOf(ask, 'live'),
        ({ metadata }) => metadata['now']?.value === value,
      );
      expect(seen.updated_at > before).toBe(true);
      before = seen.updated_at;
    }
    const [listed] = await agentsOf(ask);
    expect(listed).toMatchObject({ metadata_count: 1, metadata: {}, updated_at: before });
    expect(listed?.metadata).toEqual({});
  });

  it('has no field of a Taskfile that cannot be loaded, and says why in the log [MD-broken-taskfile]', async () => {
    commitFiles(fleet.repository, { 'Taskfile.yml': `version: '3'\ntasks: [unclosed\n` });
    await idleAgent(ask, 'broken');
    await until(
      () => logOf(ask, 'broken'),
      (log) => JSON.stringify(log).includes('the Taskfile cannot be loaded'),
    );
    expect(await agentOf(ask, 'broken')).toMatchObject({ status: 'idle', metadata_count: 0, metadata: {} });
  });

  it('never fails, whatever is in the place of the Taskfile [MD-never-fails]', async () => {
    const { workspace_id } = await idleAgent(ask, 'odd');
    const place = join(fleet.home, 'agents', workspace_id, 'work');
    const bomb = `a0: &a0 [x, x]\n${Array.from({ length: 40 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}\n`;
    for (const text of [
      '',
      '\0\0',
      '42',
      'tasks: 3',
      bomb,
      `version: '3'\nincludes: {a: ./Taskfile.yml}\n`,
    ]) {
      rmSync(join(place, 'Taskfile.yml'), { recursive: true });
      writeFileSync(join(place, 'Taskfile.yml'), text);
      await ask('start_agent_task', { agent_name: 'odd', task_description: 'look', when_busy: 'queue' });
      await waitIdle(ask, 'odd');
      expect(await agentOf(ask, 'odd')).toMatchObject({ metadata: expect.any(Object) });
      expect((await agentsOf(ask)).map(({ name }) => name)).toContain('odd');
    }
    await until(
      () => agentOf(ask, 'odd'),
      ({ metadata_count }) => metadata_count === 0,
    );
  });
});

describe('without the means to run a Taskfile', () => {
  const files = {
    'Taskfile.yml': `version: '3'\ntasks:\n  pr: {desc: The pull request, meta: {include_in_list: true}, cmd: touch "$MARK"}\n`,
  };

  it('each field says that there is no program task', async () => {
    await using fleet = taskfileFleet('/nowhere', files, ({ roles }) => {
      for (const role of Object.values(roles)) role['env'] = { PATH: '/usr/bin:/bin' };
    });
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'poor');
    const { metadata } = await collected(ask, 'poor');
    expect(metadata['pr']).toEqual({
      value: null,
      error: expect.stringMatching(/task.*fleet doctor/),
      schema: { description: 'The pull request', include_in_list: true },
    });
    expect((await agentsOf(ask))[0]?.metadata).toEqual({ pr: null });
    const { stdout } = await runFleet(['doctor'], { env: { ...fleet.env, PATH: '/nowhere' } });
    expect(stdout).toMatch(/task \(go-task\) was not found[^]*taskfile\.dev/);
  });
});

/** The agent once all of its fields have been run. On a machine that is busy with other things, fields that should be
 *  quick may take too long at first; each look tries again. */
async function collected(ask: Ask, name: string): Promise<AgentView> {
  for (;;) {
    const agent = await agentOf(ask, name);
    const late = Object.entries(agent.metadata).filter(
      ([field, { error }]) =>
        error?.startsWith('not collected yet') === true ||
        (field !== 'hanging' && error?.includes('5 s') === true),
    );
    if (agent.metadata_count > 0 && late.length === 0) return agent;
    await delay(500);
  }
}

function valuesOf({ metadata }: AgentView): Record<string, unknown> {
  return Object.fromEntries(Object.entries(metadata).map(([name, { value }]) => [name, value]));
}
