import { describe, expect, it } from 'vitest';
import { ago, duration, localTime, parsePastTime, parseTimeout } from './times.ts';

const NOW = Date.parse('2026-03-01T12:00:00.000Z');

describe('ago', () => {
  it('uses the largest unit that says something', () => {
    expect(ago('2026-03-01T11:59:58.000Z', NOW)).toBe('2s');
    expect(ago('2026-03-01T11:00:01.000Z', NOW)).toBe('59m');
    expect(ago('2026-02-28T12:00:01.000Z', NOW)).toBe('23h');
    expect(ago('2026-02-01T12:00:00.000Z', NOW)).toBe('28d');
  });

  it('never says that something lies in the future', () => {
    expect(ago('2026-03-01T12:00:09.000Z', NOW)).toBe('0s');
    expect(duration(0)).toBe('0s');
  });
});

describe('localTime', () => {
  it('leaves out the date of today', () => {
    expect(localTime(new Date(NOW).toISOString(), NOW)).toMatch(/^\d\d:\d\d:\d\d$/);
    expect(localTime('2025-03-01T12:00:00.000Z', NOW)).toMatch(/^2025-\d\d-\d\d \d\d:\d\d:\d\d$/);
  });
});

describe('parsePastTime', () => {
  it('takes ISO times and durations ago', () => {
    expect(parsePastTime('2026-03-01T11:00:00Z', NOW)).toBe(NOW - 3_600_000);
    expect(parsePastTime('2026-03-01T12:00:00+01:00', NOW)).toBe(NOW - 3_600_000);
    expect(parsePastTime('10m', NOW)).toBe(NOW - 600_000);
    expect(parsePastTime('2h', NOW)).toBe(NOW - 7_200_000);
  });

  it.each(['yesterday', '', '10', '2026-13-01T00:00:00Z', '10 m', '-5m'])(
    'refuses %j and quotes it',
    (text) => {
      expect(() => parsePastTime(text, NOW)).toThrow(JSON.stringify(text));
    },
  );

  it('refuses the future', () => {
    expect(() => parsePastTime('2027-01-01T00:00:00Z', NOW)).toThrow('in the future');
  });
});

describe('parseTimeout', () => {
  it('takes seconds and durations', () => {
    expect(parseTimeout('90')).toBe(90_000);
    expect(parseTimeout('0.5')).toBe(500);
    expect(parseTimeout('10m')).toBe(600_000);
    expect(parseTimeout('soon')).toBeUndefined();
    expect(parseTimeout('-1')).toBeUndefined();
  });
});
