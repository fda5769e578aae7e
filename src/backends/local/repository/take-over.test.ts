import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { processesNaming } from '../../../../test/support/fleets/local-fleet.ts';
import { Reader } from '../reading/reader.ts';
import { takePack } from './take-over.ts';

class RefusedReader extends Reader {
  override stream(): Promise<never> {
    return Promise.reject(new Error('the sandbox is gone'));
  }
}

it.skipIf(process.platform !== 'linux')(
  'a pack that nothing prints leaves no program behind that waits for it',
  async () => {
    const directory = mkdtempSync(join(tmpdir(), 'fleet-pack-'));
    onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
    const into = join(directory, 'home');
    execFileSync('git', ['init', '--quiet', '--bare', into]);
    const reader = new RefusedReader({
      home: into,
      paths: { stage: into } as never,
      plan: {} as never,
      workspace_id: 'none',
      lenders: [],
      contained: false,
    });
    const packing = { into, partial: false, known: [], script: 'true', args: [], limit_ms: 1000 };
    await expect(takePack(reader, packing)).rejects.toThrow('the sandbox is gone');
    expect(processesNaming(directory)).toEqual([]);
  },
);
