import { describe, expect, it } from 'vitest';
import { keptOrder, nextAfter } from './kept-order.ts';

describe('keptOrder', () => {
  it('keeps the places of what is shown, drops what is gone and appends what is new', () => {
    expect(keptOrder([], ['a', 'b'])).toEqual(['a', 'b']);
    expect(keptOrder(['b', 'a'], ['new', 'a', 'b'])).toEqual(['b', 'a', 'new']);
    expect(keptOrder(['a', 'gone', 'b'], ['b', 'x', 'a', 'y'])).toEqual(['a', 'b', 'x', 'y']);
  });
});

describe('nextAfter', () => {
  it('is the entry below the one that is gone, else the last, else the first', () => {
    expect(nextAfter('b', ['a', 'b', 'c', 'd'], ['a', 'd'])).toBe('d');
    expect(nextAfter('d', ['a', 'b', 'd'], ['a', 'b', 'new'])).toBe('new');
    expect(nextAfter(undefined, [], ['a', 'b'])).toBe('a');
    expect(nextAfter('a', ['a'], [])).toBeUndefined();
  });
});
