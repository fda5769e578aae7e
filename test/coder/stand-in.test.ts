import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { askAll } from '../support/coder/ask-all.ts';
import { shapeProblems } from '../support/coder/same-shape.ts';
import { coderFleet } from '../support/fleets/coder-fleet.ts';

interface Recorded {
  readonly status: number;
  readonly type: string;
  readonly body: unknown;
}

const recorded = JSON.parse(
  readFileSync(join(import.meta.dirname, '..', 'support', 'coder', 'recorded.json'), 'utf8'),
) as Record<string, Recorded>;

/** What the stand-in is asked, and what a real server answered to the same. */
const SAME: Readonly<Record<string, string>> = {
  'bad token': 'users-me-401',
  templates: 'templates-list',
  'parameters of a version': 'rich-parameters',
  presets: 'presets',
  'create again': 'create-409-name',
  'build while building': 'build-conflict-409',
  workspace: 'workspace-with-statuses',
  'by name': 'workspace-with-statuses',
  'parameters of a build': 'build-parameters',
  'logs of a build': 'build-logs',
  'cancel a done build': 'cancel-completed-400',
  'no workspace': 'workspace-404',
  'user token for a report': 'app-status-patch-user-token',
  stopped: 'workspace-stopped',
  deleted: 'workspace-410',
  'start of a deleted one': 'build-on-deleted-start',
};

it('the stand-in answers as a real server was recorded to', async () => {
  await using fleet = await coderFleet();
  Object.assign(fleet.standIn.manners, { runners: false, build_ms: 500 });
  const exchanges = new Map((await askAll(fleet.standIn)).map((each) => [each.name, each]));
  for (const [name, file] of Object.entries(SAME)) {
    const [ours, real] = [exchanges.get(name), recorded[file]];
    expect([name, ours?.status], file).toEqual([name, real?.status]);
    expect([name, ...shapeProblems(ours?.body, real?.body)], file).toEqual([name]);
  }
});
