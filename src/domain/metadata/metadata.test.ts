import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { anyCharacter } from '../../../test/support/any-character.ts';
import { FleetError } from '../values/errors.ts';
import { checkMetadataKey, checkMetadataValue } from './metadata.ts';

const suffix = fc.string({ unit: fc.constantFrom(...'abzAZ09_.-'.split('')), minLength: 1, maxLength: 300 });
const CORE = ['agent_name', 'role', 'project', 'agent_spec', 'current_task'];

describe('keys and values of metadata', () => {
  it('are taken with the prefix, with plain characters and up to 256 of them', () => {
    fc.assert(
      fc.property(suffix, (suffix) => {
        fc.pre(!CORE.includes(suffix));
        const key = `fleet_mcp_${suffix}`;
        const check = (): string => checkMetadataKey(key);
        if (key.length <= 256) expect(check()).toBe(key);
        else expect(check).toThrow(FleetError);
      }),
    );
    expect(() => checkMetadataKey(`fleet_mcp_${'x'.repeat(247)}`)).toThrow(/at most 256/);
    expect(checkMetadataKey(`fleet_mcp_${'x'.repeat(246)}`)).toHaveLength(256);
  });

  it('are refused without the prefix, with other characters, and for what the fleet keeps itself', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter, maxLength: 30 }), (text) => {
        const fits = /^fleet_mcp_[A-Za-z0-9_.-]+$/.test(text);
        if (!fits) expect(() => checkMetadataKey(text)).toThrow(FleetError);
        if (!/^[A-Za-z0-9_.-]+$/.test(text))
          expect(() => checkMetadataKey(`fleet_mcp_${text}`)).toThrow(FleetError);
      }),
    );
    for (const key of ['fleet_mcp_role', 'note'])
      expect(() => checkMetadataKey(key)).toThrow(
        expect.objectContaining({ code: 'INVALID_INPUT', details: { field: 'key' } }),
      );
    for (const key of CORE) expect(() => checkMetadataKey(`fleet_mcp_${key}`)).toThrow(/set by the fleet/);
  });

  it('have at most 4096 bytes of value, however many characters these are', () => {
    fc.assert(
      fc.property(fc.constantFrom('a', 'ä', '…', '😀'), fc.nat({ max: 4200 }), (unit, times) => {
        const value = unit.repeat(times);
        const check = (): string => checkMetadataValue(value);
        if (new TextEncoder().encode(value).length <= 4096) expect(check()).toBe(value);
        else expect(check).toThrow(FleetError);
      }),
    );
    expect(checkMetadataValue('a'.repeat(4096))).toHaveLength(4096);
    expect(() => checkMetadataValue('a'.repeat(4097))).toThrow(
      expect.objectContaining({
        code: 'INVALID_INPUT',
        message: expect.stringContaining('4097 bytes') as string,
        details: { field: 'value' },
      }),
    );
  });
});
