import { describe, expect } from 'vitest';
import { askableClient, CLIENTS } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';
import { fleetTest } from '../support/fleets/fleet-test.ts';

const it = fleetTest(() => fleetWith({ lab: upstream('plain'), other: upstream('plain') }));

describe('kill -9 of a server in the middle of a call', () => {
  it.for(CLIENTS)(
    'ends the call with an error, and its tools are back without a restart of anything: $mode over $over',
    async ({ mode, over }, { fleet, served }) => {
      await using client = await askableClient(mode, over === 'HTTP' ? served : { env: fleet.env });
      const pid = Number((await client.call('lab__whoami')).content[0]?.text);
      const kill = (): boolean => process.kill(pid, 'SIGKILL');
      const [ended, beside] = await Promise.all([
        client.call('lab__slow', { steps: 1_000, step_ms: 20 }, { onprogress: once(kill) }),
        client.call('other__slow', { steps: 30, step_ms: 20 }),
      ]);
      expect(ended.isError).toBe(true);
      expect(ended.content[0]?.text).toContain('"AGENT_UNAVAILABLE"');
      expect(beside.content[0]?.text).toBe('done');
      // One that is killed again and again is started again a little later each time.
      let again = Number.NaN;
      while (Number.isNaN(again)) again = Number((await client.call('lab__whoami')).content[0]?.text);
      expect(again).not.toBe(pid);
      const { tools } = await client.client.listTools();
      expect(tools.map(({ name }) => name)).toContain('lab__whoami');
    },
  );
});

function once(work: () => unknown): () => void {
  let done = false;
  return () => {
    if (!done) work();
    done = true;
  };
}
