import * as fc from 'fast-check';
import { expect, it } from 'vitest';
import { MarkedOutput } from './marked-output.ts';

const MARK = '0a1b2c';

it('gives what is between the marks, and the exit code, however it is cut', () => {
  fc.assert(
    fc.property(
      fc.uint8Array(),
      fc.nat(255),
      fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1 }),
      (bytes, code, sizes) => {
        const text = Buffer.from([...bytes, 0x1e, ...Buffer.from('Ealmost')]);
        const whole = Buffer.concat([
          Buffer.from(`noise\u001eR${MARK}`),
          text,
          Buffer.from(`\u001eE${MARK} ${code}\u001e`),
        ]);
        const written: Buffer[] = [];
        let ready = 0;
        const output = new MarkedOutput(MARK, { ready: () => ready++, write: (part) => written.push(part) });
        for (let at = 0, turn = 0; at < whole.length; turn++) {
          const size = sizes[turn % sizes.length] ?? 1;
          output.read(whole.subarray(at, at + size));
          at += size;
        }
        expect(Buffer.concat(written).equals(text)).toBe(true);
        expect({ ready, code: output.exit_code }).toEqual({ ready: 1, code });
      },
    ),
  );
});

it('has no exit code before the end', () => {
  const output = new MarkedOutput(MARK, { ready: () => {}, write: () => {} });
  output.read(Buffer.from(`\u001eR${MARK}text\u001eE${MARK} 12`));
  expect(output.exit_code).toBeUndefined();
});
