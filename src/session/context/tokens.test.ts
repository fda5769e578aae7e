import * as fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { ContextBudget } from './context-budget.ts';
import { cutResult, resultLimit } from './cut-result.ts';
import { correctedRatio, estimateTokens, messageTokens } from './tokens.ts';
import { answerTokens, chooseWindow } from './window.ts';

describe('estimates of tokens', () => {
  it('grow with the text, and count other scripts by the character', () => {
    expect(estimateTokens('')).toBe(0);
    expect(estimateTokens('a'.repeat(330))).toBe(100);
    expect(estimateTokens('漢'.repeat(100))).toBe(90);
    fc.assert(
      fc.property(fc.string(), fc.string(), (a, b) => {
        expect(estimateTokens(a + b)).toBeGreaterThanOrEqual(estimateTokens(a));
        expect(estimateTokens(a + b)).toBeLessThanOrEqual(estimateTokens(a) + estimateTokens(b));
      }),
    );
  });

  it('count the calls of an answer', () => {
    const bare = messageTokens({ role: 'assistant', text: 'x', calls: [] });
    const calls = [{ id: '1', tool: 'list_agents', arguments: { page: 1 } }];
    expect(messageTokens({ role: 'assistant', text: 'x', calls })).toBeGreaterThan(bare);
  });

  it('are corrected by what the model server counted', () => {
    expect(correctedRatio(1, { estimated: 1_000, counted: 1_500 })).toBe(1.5);
    expect(correctedRatio(1.5, { estimated: 1_000, counted: 900 })).toBe(0.9);
  });

  it('stay as they are when the count says nothing', () => {
    expect(correctedRatio(1.2, { estimated: 1_000, counted: null })).toBe(1.2);
    // Only the part that was not in the server's cache was counted.
    expect(correctedRatio(1.2, { estimated: 1_000, counted: 30 })).toBe(1.2);
    expect(correctedRatio(1.2, { estimated: 20, counted: 90 })).toBe(1.2);
    expect(correctedRatio(1, { estimated: 1_000, counted: 90_000 })).toBe(3);
  });
});

describe('the context window', () => {
  const none = { main: 0, graphics: 0 };
  const memory = (free: number, loaded = none) => ({ free, total: 128e9, loaded });
  const roomy = { trained: 131_072, bytes_per_token: 100_000, model_bytes: 5e9, memory: memory(64e9) };

  it('is the usual one where everything allows it', () => {
    expect(chooseWindow({ asked: undefined, ...roomy })).toEqual({ tokens: 32_768, limited_by: null });
  });

  it('never exceeds what the model was trained for', () => {
    expect(chooseWindow({ asked: 50_000, ...roomy, trained: 8_192 })).toEqual({
      tokens: 8_192,
      limited_by: 'model',
    });
  });

  it('fits into the memory that is left beside the model', () => {
    const { tokens, limited_by } = chooseWindow({ asked: undefined, ...roomy, memory: memory(6.5e9) });
    expect(limited_by).toBe('memory');
    expect(tokens * 100_000 + 5e9).toBeLessThan(6.5e9);
  });

  it('is not smaller than 2048 tokens, however little memory there is', () => {
    expect(chooseWindow({ asked: undefined, ...roomy, memory: memory(1) }).tokens).toBe(2_048);
  });

  it('counts memory of models that are loaded as left, on the machine and on its graphics cards', () => {
    const tokens = (limits: { free: number; total?: number; loaded?: typeof none }) =>
      chooseWindow({ asked: undefined, ...roomy, memory: { ...memory(1), ...limits } }).tokens;
    expect(tokens({ free: 1e9 })).toBe(2_048);
    // The model itself is loaded, with its context.
    expect(tokens({ free: 1e9, loaded: { main: 8e9, graphics: 0 } })).toBe(32_768);
    expect(tokens({ free: 1e9, loaded: { main: 0, graphics: 8e9 } })).toBe(32_768);
    // Its weights are mapped from their file, and are counted as free as well.
    const mapped = { free: 7e9, total: 8e9, loaded: { main: 5e9, graphics: 0 } };
    expect(tokens(mapped)).toBe(24_576);
  });

  it('is what a person asked for, whatever the memory', () => {
    expect(chooseWindow({ asked: 16_000, ...roomy, memory: memory(1) }).tokens).toBe(16_000);
  });

  it('keeps a quarter for the answer, and at most 4096 tokens', () => {
    expect(answerTokens(2_048)).toBe(512);
    expect(answerTokens(100_000)).toBe(4_096);
  });
});

describe('a budget', () => {
  const tool = (name: string) => ({ name, description: 'x'.repeat(300), parameters: { type: 'object' } });

  it('offers all tools while they leave half of the room', () => {
    const all = [tool('a'), tool('b')];
    const finder = [tool('find_tools')];
    expect(new ContextBudget(8_192, 'short').chooseTools(all, finder)).toBe(all);
    const many = Array.from({ length: 100 }, (_, at) => tool(`tool_${at}`));
    expect(new ContextBudget(8_192, 'short').chooseTools(many, finder)).toBe(finder);
  });

  it('has less room once the server counted more than we did', () => {
    const budget = new ContextBudget(8_192, 'short');
    const before = budget.room([]);
    const messages = [{ role: 'user', text: 'x'.repeat(3_300) }] as const;
    budget.counted({ messages, tools: [], window: 8_192, answer: 100 }, { prompt: 2_010, answer: 1 });
    expect(budget.ratio).toBe(2);
    expect(budget.room([])).toBeLessThan(before * 0.6);
    const { system, tools, messages: used, answer, free, window } = budget.use([], messages, false);
    expect(system + tools + used + answer + free).toBe(window);
  });
});

describe('a result of a tool', () => {
  it('keeps its beginning and its end, and says how much is missing', () => {
    const text = `begin${'x'.repeat(10_000_000)}end`;
    const short = cutResult(text, 2_000);
    expect(short.startsWith('begin')).toBe(true);
    expect(short.endsWith('end')).toBe(true);
    expect(short).toContain(`[${text.length - 2_000} characters left out]`);
    expect(short.length).toBeLessThan(2_100);
    expect(cutResult('short', 2_000)).toBe('short');
  });

  it('gets a share of the room', () => {
    expect(resultLimit(4_000)).toBe(3_000);
    expect(resultLimit(10)).toBe(1_000);
    expect(resultLimit(1_000_000)).toBe(40_000);
  });
});
