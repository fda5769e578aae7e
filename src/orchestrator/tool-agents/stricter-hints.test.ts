import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { isGated } from './approval-gate.ts';
import { hintsIn, stricterHints, withHints } from './stricter-hints.ts';

const hints = fc.record(
  {
    readOnlyHint: fc.boolean(),
    destructiveHint: fc.boolean(),
    idempotentHint: fc.boolean(),
    openWorldHint: fc.boolean(),
  },
  { requiredKeys: [] },
);

describe('the stricter of two sets of hints', () => {
  it('is gated whenever one of them is, and read-only only when both are', () => {
    fc.assert(
      fc.property(
        hints,
        hints,
        fc.constantFrom('none', 'destructive', 'writes', 'all'),
        (before, now, approve) => {
          const { hints: held } = stricterHints(before, now);
          const gated = (annotations: object) =>
            isGated('a', { name: 'a', annotations }, { approve, rules: [] });
          expect(gated(held) || !(gated(before) || gated(now))).toBe(true);
          expect(held.readOnlyHint === true).toBe(before.readOnlyHint === true && now.readOnlyHint === true);
        },
      ),
    );
  });

  it('is what the tool says now when nothing became looser, and the same when it is taken again', () => {
    fc.assert(
      fc.property(hints, hints, (before, now) => {
        const { hints: held, loosened } = stricterHints(before, now);
        if (loosened.length === 0) expect(held).toEqual(now);
        expect(stricterHints(held, now)).toEqual({ hints: held, loosened });
        expect(stricterHints(now, now).loosened).toEqual([]);
      }),
    );
  });

  it('leaves the other annotations alone', () => {
    expect(hintsIn({ title: 'T', readOnlyHint: 'yes', destructiveHint: true })).toEqual({
      destructiveHint: true,
    });
    expect(withHints({ title: 'T', readOnlyHint: true }, { destructiveHint: true })).toEqual({
      title: 'T',
      destructiveHint: true,
    });
  });
});
