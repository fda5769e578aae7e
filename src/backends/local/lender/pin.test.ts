import { describe, expect, it } from 'vitest';
import { agentClone } from '../../../../test/support/installs/agent-clone.ts';
import { pin, shownAs, unshow } from './pin.ts';

const published_as = 'refs/remotes/fleet/twin';
const one = { workspace_id: '11111111-0000-4000-8000-000000000000', published_as };
const other = { workspace_id: '22222222-0000-4000-8000-000000000000', published_as };
const withId = (owner: typeof one): string => `${published_as}-${owner.workspace_id.slice(0, 8)}`;

describe('a pin', () => {
  it('of two agents of one name gives each a ref of its own, also when both are made at once', async () => {
    using place = await agentClone();
    const commits = [place.git('rev-parse', 'main').trim()] as const;
    const [first, second] = await Promise.all(
      [one, other].map((owner) => pin(place.repository, { ...owner, commits })),
    );
    const [loser] = first === published_as ? [other] : [one];
    expect(new Set([first, second])).toEqual(new Set([published_as, withId(loser)]));
    expect(await pin(place.repository, { ...one, commits })).toBe(first);
    expect(await shownAs(place.repository, other)).toBe(second);
  });

  it('that is no longer shown leaves its name to others', async () => {
    using place = await agentClone();
    const commits = [place.git('rev-parse', 'main').trim()] as const;
    await pin(place.repository, { ...one, commits });
    await Promise.all([unshow(place.repository, one), unshow(place.repository, one)]);
    expect(await pin(place.repository, { ...other, commits })).toBe(published_as);
    await unshow(place.repository, one);
    expect(place.git('rev-parse', published_as).trim()).toBe(commits[0]);
    expect(await pin(place.repository, { ...one, commits })).toBe(withId(one));
  });

  it('with the message of a stranger names nothing', async () => {
    using place = await agentClone({ before: 'git commit --quiet --allow-empty -m refs/heads/main' });
    place.git('update-ref', `refs/fleet/pins/${one.workspace_id}`, 'main');
    await unshow(place.repository, one);
    expect(place.git('log', '-1', '--format=%s', 'main')).toBe('refs/heads/main\n');
    expect(await shownAs(place.repository, one)).toBeUndefined();
  });
});
