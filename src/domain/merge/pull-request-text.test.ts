import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { pullRequestText } from './pull-request-text.ts';

const task = (result: string | null, state: 'complete' | 'failed' = 'complete') =>
  ({ kind: 'task', state, result }) as const;

describe('the text of a pull request', () => {
  it('is the newest result, with the first lines of earlier ones', () => {
    const rows = [
      task(null),
      task('it broke', 'failed'),
      { kind: 'report', state: 'complete', result: 'a report' } as const,
      task('## **Fixed** the `login`\n\nIt was the cookie.'),
      task('Added a test\nthat fails'),
    ];
    expect(pullRequestText(rows, 'subject')).toEqual({
      title: 'Fixed the login',
      body: '## **Fixed** the `login`\n\nIt was the cookie.\n\nEarlier tasks:\n\n- Added a test',
    });
  });

  it('has the subject of the newest commit as its title when there is no result', () => {
    expect(pullRequestText([task('  ')], 'Fix it')).toEqual({ title: 'Fix it', body: '' });
    expect(pullRequestText([task('---\n***')], 'Fix it').title).toBe('Fix it');
  });

  it('cuts a long title between words', () => {
    const { title } = pullRequestText([], 'word '.repeat(30));
    expect(title.length).toBeLessThanOrEqual(72);
    expect(title).toMatch(/word…$/);
  });

  it('has no line that a forge would obey as a command', () => {
    const body = 'Done.\n/merge\n  /approve\n> /close\n- /label ~bug\nsee a/b';
    expect(pullRequestText([task(body)], '').body).toBe(
      'Done.\n\\/merge\n  \\/approve\n> \\/close\n- \\/label ~bug\nsee a/b',
    );
  });

  it('is short and without commands whatever an agent says', () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: 'grapheme', maxLength: 200 })),
        fc.string(),
        (results, subject) => {
          const { title, body } = pullRequestText(
            results.map((result) => task(result)),
            subject,
          );
          expect(title.length).toBeLessThanOrEqual(72);
          expect(title).not.toMatch(/\n/);
          expect(body).not.toMatch(/^\s*\//m);
        },
      ),
    );
  });
});
