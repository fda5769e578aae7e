import { describe, expect, it } from 'vitest';
import { containmentLevel } from '../../src/platform/processes/containment.ts';
import { agentOf, askAs, idleAgent, until } from '../support/fleets/fleet-under-test.ts';
import { goTask, WITHOUT_GO_TASK } from '../support/installs/go-task.ts';
import { commitFiles, taskfileFleet } from './taskfile-fleet.ts';

const bin = goTask();
const noNamespaces = containmentLevel().level !== 'namespace';
const why = noNamespaces ? ' (skipped: no namespaces here)' : WITHOUT_GO_TASK;

describe.skipIf(bin === undefined || noNamespaces)(`a field of a Taskfile${why}`, () => {
  it.each([
    ['is as contained as its agent', {}, 'hidden'],
    ['is as contained also when only its role allows it', { metadata: true }, 'hidden'],
    ['sees what an agent sees whose role gives the containment up', { contained: false }, 'seen'],
  ])('%s [MD-sandbox]', async (_, role, expected) => {
    await using fleet = taskfileFleet(bin ?? '', { '.keep': '' }, ({ roles }) =>
      Object.assign(roles['scripted'] ?? {}, role),
    );
    commitFiles(fleet.repository, {
      'Taskfile.yml': `version: '3'\ntasks:\n  store: {meta: {include_in_list: true}, cmd: 'test -e "${fleet.home}/store.db" && echo seen || echo hidden'}\n`,
    });
    const ask = askAs(fleet.fleet);
    await idleAgent(ask, 'sony');
    const { metadata } = await until(
      () => agentOf(ask, 'sony'),
      (agent) => agent.metadata['store']?.error === null,
    );
    expect(metadata['store']?.value).toBe(expected);
  });
});
