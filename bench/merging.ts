import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { branchGroups } from '../src/backends/local/merge/branches.ts';
import { findConflicts } from '../src/backends/local/merge/find-conflicts.ts';
import { agentRefs, fleetRepositoryPath } from '../src/backends/local/repository/fleet-repository.ts';
import { agentDiff } from '../src/backends/local/workspace/agent-diff.ts';
import type { AgentRecord } from '../src/backends/backend.ts';
import type { Origin } from '../src/backends/local/records/origin.ts';
import { pairsInReach } from '../src/domain/merge/conflicts.ts';
import { MergeResults } from '../src/store/merge-results.ts';
import { Store } from '../src/store/store.ts';
import { landStage, type LandStage } from '../test/support/places/land-stage.ts';
import { alternate, milliseconds, ratioRow, timed, type Row } from './measure.ts';
import type { Stage } from './stage.ts';

const ROUNDS = 9;
const FILES = 200;
const LINES = 80;
/** Lines that the work changes: each is one that goes and one that comes. */
const CHANGED = 5_000;
const PATHS_EACH = 5;

/** Reading, comparing and landing the work of agents, beside bare git. */
export async function merging(stage: Stage): Promise<readonly Row[]> {
  const script = `mkdir files; for i in $(seq 0 ${FILES - 1}); do seq -f "file $i, line %g of a source" ${LINES} > files/$i.txt; done; git add .; git commit --quiet -m files`;
  using place = await landStage(script);
  return [
    await diffRow(stage, place),
    await conflictRow(stage, place, 40),
    await conflictRow(stage, place, 200),
    await landRow(stage, place),
  ];
}

async function diffRow(stage: Stage, place: LandStage): Promise<Row> {
  place.agent(
    `for i in $(seq 0 ${Math.ceil(CHANGED / LINES) - 1}); do sed -i 's/$/, changed/' files/$i.txt; done; git commit --quiet -am changed`,
  );
  // As after each task of an agent.
  await place.reader.takeOver(await place.reader.look());
  const base = place.git('rev-parse', 'main').trim();
  const ours = async (): Promise<void> => {
    let cursor: string | undefined;
    do {
      const diff = await agentDiff(place.work, {
        paths: [],
        format: 'patch',
        max_bytes: 2 ** 20,
        running: null,
        ...(cursor === undefined ? {} : { cursor }),
      });
      cursor = diff.cursor ?? undefined;
    } while (cursor !== undefined);
  };
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: () => timed(ours),
      bare: () => stage.timer.ms('git', '-C', place.directory, 'diff', base),
    },
  );
  return ratioRow(
    {
      measure: 'the diff of an agent, 10,000 lines',
      peer: 'git diff in its workspace',
      how: `in process, committed and uncommitted work, all pages; ${ROUNDS} rounds`,
    },
    { ours: figures.ours.median, peer: figures.bare.median },
    2,
  );
}

async function conflictRow(stage: Stage, place: LandStage, count: number): Promise<Row> {
  const agents = fabricated(place, count);
  const known = (): MergeResults => new MergeResults(new Store(mkdtempSync(join(place.root, 'store-'))));
  const [group] = await branchGroups(place.home, agents);
  if (group?.branches.length !== count) throw new Error('the branches are not there');
  const pairs = pairsInReach(group.branches);
  const input = join(place.root, `pairs-${count}`);
  execFileSync('tee', [input], {
    input: pairs.map(([one, other]) => `${one.commit} ${other.commit}\n`).join(''),
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const bare = `git -C "$1" merge-tree --write-tree -z --name-only --no-messages --stdin < "$2" > /dev/null`;
  const figures = await alternate(
    { rounds: count > 100 ? 3 : ROUNDS },
    {
      ours: async () => {
        const results = known();
        return timed(async () => {
          const groups = await branchGroups(place.home, agents);
          for (const each of groups) await findConflicts(each, results);
        });
      },
      bare: () => stage.timer.ms('sh', '-c', bare, 'sh', group.fleet, input),
    },
  );
  return ratioRow(
    {
      measure: `the conflicts of ${count} agents`,
      peer: `git merge-tree of the ${pairs.length} pairs that share files`,
      how: `in process, nothing known before; each branch changes ${PATHS_EACH} of ${FILES} files`,
    },
    { ours: figures.ours.median, peer: figures.bare.median },
    1.5,
  );
}

/** Agents that have only a branch in Fleet's repository. */
function fabricated(place: LandStage, count: number): readonly { agent: AgentRecord; origin: Origin }[] {
  const { work, home, repository } = place;
  const ids = Array.from({ length: count }, () => randomUUID());
  const base = place.git('rev-parse', 'main').trim();
  const commits = ids.map((id, index) =>
    [
      `commit ${agentRefs(id).branch}`,
      `committer Bench <bench@localhost> ${index + 1} +0000`,
      'data 4\nwork',
      `from ${base}`,
      ...Array.from({ length: PATHS_EACH }, (_, nth) => {
        const file = (index * 7 + nth * nth * 13 + (index % 11) * nth) % FILES;
        const text = Array.from({ length: LINES }, (_line, line) =>
          line === (index * 3 + nth) % LINES
            ? `changed by ${index}`
            : `file ${file}, line ${line + 1} of a source`,
        ).join('\n');
        return `M 100644 inline files/${file}.txt\ndata ${text.length + 1}\n${text}\n`;
      }),
    ].join('\n'),
  );
  const fleet = fleetRepositoryPath(home, join(repository, '.git'));
  execFileSync('git', ['-C', fleet, 'fast-import', '--quiet', '--force'], {
    input: `${commits.join('\n')}\n`,
  });
  return ids.map((workspace_id, index) => ({
    agent: { workspace_id, name: `agent-${index}`, created_at: new Date(index).toISOString() } as AgentRecord,
    origin: { plan: work.plan, launch: work.launch } as Origin,
  }));
}

async function landRow(stage: Stage, place: LandStage): Promise<Row> {
  const bare = join(place.root, 'bare');
  execFileSync('git', ['clone', '--quiet', '--no-local', place.repository, bare]);
  let rounds = 0;
  const figures = await alternate(
    { rounds: ROUNDS },
    {
      ours: async () => {
        place.agent(`echo ${++rounds} > landed.txt; git add .; git commit --quiet -m ${rounds}`);
        // As after each task of an agent.
        await place.reader.takeOver(await place.reader.look());
        return timed(() => place.land({ skip_checks: true }));
      },
      bare: async () => {
        const script = `git switch --quiet -c work; echo $1 > landed.txt; git add .; git -c user.name=B -c user.email=b@localhost commit --quiet -m $1; git switch --quiet main`;
        execFileSync('sh', ['-ec', script, 'sh', String(++rounds)], { cwd: bare });
        const identity = ['-c', 'user.name=B', '-c', 'user.email=b@localhost'];
        const ms = await stage.timer.ms(
          'git',
          '-C',
          bare,
          ...identity,
          'merge',
          '--quiet',
          '--no-ff',
          '-m',
          'm',
          'work',
        );
        execFileSync('git', ['-C', bare, 'branch', '--quiet', '-D', 'work']);
        return ms;
      },
    },
  );
  const [ours, peer] = [figures.ours.median, figures.bare.median];
  return {
    measure: 'an agent landed, without checks',
    ours: milliseconds(ours),
    peer: `git merge in a checkout: ${milliseconds(peer)}`,
    ratio: ours / peer,
    target: '≤ 2 × + 100 ms',
    met: ours <= 2 * peer + 100,
    how: `in process, one new commit, the branch checked out; ${ROUNDS} rounds`,
  };
}
