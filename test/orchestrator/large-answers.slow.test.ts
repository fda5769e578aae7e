import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { describe, expect, it, onTestFinished } from 'vitest';
import { isReady, poolWith, readyPool } from './pool-under-test.ts';
import { upstreamFile } from './upstream-place.ts';

const MIB = 1024 * 1024;
const LIMIT = 16 * MIB;
const tooLarge = {
  code: 'TOO_LARGE',
  message: expect.stringContaining('with more than 16777216 bytes (16 MiB)') as string,
  details: { server: 'lab', limit: LIMIT },
};

describe('an answer over 16 MiB', () => {
  it.each(['lab__flood', 'lab__flood_first'])(
    'fails its call alone, and the server goes on: %s',
    async (tool) => {
      await using pool = await readyPool('flood');
      const before = await pool.call('lab__who');
      const beside = pool.call('lab__slow');
      await expect(pool.call(tool, { bytes: 100 * MIB })).rejects.toMatchObject(tooLarge);
      expect(await beside).toMatchObject({ success: true, data: [{ text: 'slow' }] });
      expect(await pool.call('lab__who')).toEqual(before);
      expect(pool.connection('lab').status).toBe('ready');
      expect(pool.orchestrator.metrics.errors.get('TOO_LARGE')).toBe(1);
    },
  );

  it('is not one of a little less, which passes', async () => {
    await using pool = await readyPool('flood');
    const least = { success: true, data: [{ text: expect.stringMatching(/^x+$/) as string }] };
    expect(await pool.call('lab__flood', { bytes: LIMIT - 1024 })).toMatchObject(least);
    await expect(pool.call('lab__flood', { bytes: LIMIT })).rejects.toMatchObject(tooLarge);
  });

  it.each(['lab__large', 'lab__large_event'])('over HTTP fails its call alone: %s', async (tool) => {
    const child = spawn(process.execPath, [upstreamFile('remote'), 'good'], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    const [url] = (await once(createInterface({ input: child.stdout }), 'line')) as [string];
    await using pool = await poolWith({ lab: { url } });
    await pool.until('lab', isReady);
    const states: string[] = [];
    pool.servers.subscribe(() => states.push(pool.connection('lab').status));
    expect(await pool.call(tool, { bytes: 4 * MIB })).toMatchObject({ success: true });
    await expect(pool.call(tool, { bytes: 40 * MIB })).rejects.toMatchObject(tooLarge);
    expect(await pool.call('lab__work')).toMatchObject({ success: true });
    expect(states).toEqual([]);
  });
});
