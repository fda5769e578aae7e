import { describe, expect, it } from 'vitest';
import { errorOfBody, FleetError, installing, isErrorCode, quote, toFleetError } from './errors.ts';

describe('what a caller sees of a thrown value', () => {
  it('is a FleetError as it is', () => {
    const error = new FleetError('NOT_FOUND', 'Not here.', { field: 'name' });
    expect(toFleetError(error)).toBe(error);
    expect(error.toBody()).toEqual({
      error: { code: 'NOT_FOUND', message: 'Not here.', details: { field: 'name' } },
    });
  });

  it('names the file and the reason when the system refused something', () => {
    const refused = Object.assign(new Error('ENOSPC: no space'), { code: 'ENOSPC', path: '/home/store.db' });
    const error = toFleetError(refused);
    expect(error).toMatchObject({
      code: 'SERVICE_UNAVAILABLE',
      message: expect.stringContaining('"/home/store.db"'),
      details: { reason: 'disk_full', file: '/home/store.db' },
      cause: refused,
    });
    const nameless = toFleetError(Object.assign(new Error('EIO'), { code: 'EIO' }));
    expect(nameless.details).toEqual({ reason: 'disk_error' });
  });

  it.each(['ERR_MODULE_NOT_FOUND', 'ERR_INVALID_PACKAGE_CONFIG'])(
    'says that Fleet is being installed when code is missing: %s',
    (code) => {
      const missing = Object.assign(new Error('cannot find'), { code });
      expect(toFleetError(missing)).toMatchObject({
        code: 'SERVICE_UNAVAILABLE',
        message: installing().message,
        details: { reason: 'installing' },
        cause: missing,
      });
    },
  );

  it.each([new TypeError('a secret'), { code: 'ERR_MODULE_NOT_FOUND' }, 'text', 7])(
    'is INTERNAL_ERROR without its text when it is a defect: %o',
    (thrown) => {
      const error = toFleetError(thrown);
      expect(error).toMatchObject({ code: 'INTERNAL_ERROR', details: {}, cause: thrown });
      expect(error.message).toContain('FLEET_DEBUG=1');
      expect(error.message).not.toContain('secret');
    },
  );

  it('has a cause only when there is one', () => {
    expect('cause' in new FleetError('CONFLICT', 'x')).toBe(false);
    expect(new FleetError('CONFLICT', 'x', {}, 'why').cause).toBe('why');
  });
});

describe('an error that another process wrote down', () => {
  it('is read with its details', () => {
    const error = new FleetError('CONFLICT', 'Busy.', { reason: 'busy' });
    expect(errorOfBody(JSON.parse(JSON.stringify(error.toBody())))).toEqual(error);
    expect(errorOfBody({ error: { code: 'CONFLICT', message: 'Busy.', details: ['x'] } })?.details).toEqual(
      {},
    );
  });

  it.each([
    null,
    'text',
    [],
    {},
    { error: null },
    { error: [] },
    { error: { code: 'NO_CODE', message: 'x' } },
    { error: { code: 7, message: 'x' } },
    { error: { code: 'CONFLICT' } },
  ])('is not one: %o', (body) => {
    expect(errorOfBody(body)).toBeUndefined();
  });

  it('has a code of the table, not one that every object has', () => {
    expect(isErrorCode('CONFLICT')).toBe(true);
    expect(isErrorCode('toString')).toBe(false);
  });
});

describe('outside text in a message', () => {
  const circular: { self?: unknown } = {};
  circular.self = circular;

  it.each([
    ['a "word"', '"a \\"word\\""'],
    ['two\nlines', '"two\\nlines"'],
    [null, 'null'],
    [['a', 1], '"[\\"a\\",1]"'],
    [undefined, '"undefined"'],
    [circular, '"a value that cannot be shown"'],
    ['x'.repeat(80), `"${'x'.repeat(80)}"`],
    ['x'.repeat(81), `"${'x'.repeat(77)}…"`],
  ])('%o is quoted', (value, quoted) => {
    expect(quote(value)).toBe(quoted);
  });
});
