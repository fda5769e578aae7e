import { describe, expect, it } from 'vitest';
import { ollamaUrl, sessionSettings } from './session-settings.ts';

describe('the settings of a session', () => {
  it('are an Ollama on this machine unless something else is said', () => {
    expect(sessionSettings(undefined, {}, {})).toMatchObject({
      provider: 'ollama',
      url: 'http://127.0.0.1:11434',
      model: undefined,
      api_key: undefined,
    });
  });

  it('take flags before the configuration', () => {
    const config = { provider: 'openai', model: 'a', url: 'http://one/v1/' } as const;
    const settings = sessionSettings(config, { model: 'b' }, { OPENAI_API_KEY: 'secret' });
    expect(settings).toMatchObject({
      provider: 'openai',
      model: 'b',
      url: 'http://one/v1',
      api_key: 'secret',
    });
  });

  it('do not send the key and the model of one provider to another', () => {
    const config = { provider: 'openai', model: 'a', url: 'http://one', api_key_env: 'KEY' } as const;
    const settings = sessionSettings(config, { provider: 'ollama' }, { KEY: 'secret' });
    expect(settings).toMatchObject({ model: undefined, url: 'http://127.0.0.1:11434', api_key: undefined });
  });

  it('have the prices of the configuration for its own model only', () => {
    const prices = { input: 3, output: 15 };
    const config = { provider: 'anthropic', model: 'a', prices } as const;
    const pricesFor = (model?: string) => sessionSettings(config, { model }, {}).prices;
    expect([pricesFor(), pricesFor('a'), pricesFor('b')]).toEqual([prices, prices, undefined]);
  });

  it('take a key without the line break around it, and refuse one that no header can have', () => {
    const key = (value: string) =>
      sessionSettings(undefined, { provider: 'openai' }, { OPENAI_API_KEY: value });
    expect(key('secret\r\n').api_key).toBe('secret');
    expect(key(' ').api_key).toBeUndefined();
    expect(() => key('sec\nret')).toThrow('environment variable OPENAI_API_KEY has characters');
    expect(() => key('sec\nret')).not.toThrow('sec');
  });

  it.each([
    [{ provider: 'olama' }, '"olama" is not a provider'],
    [{ url: 'localhost' }, '"localhost" is not the address of a model server'],
    [{ context: 5 }, 'at least 1024 tokens; got 5'],
  ])('refuse %j', (flags, message) => {
    expect(() => sessionSettings(undefined, flags, {})).toThrow(message);
  });

  it.each([
    ['', 'http://127.0.0.1:11434'],
    ['0.0.0.0', 'http://127.0.0.1:11434'],
    ['gpu-box', 'http://gpu-box:11434'],
    ['gpu-box:8080', 'http://gpu-box:8080'],
    [':8080', 'http://127.0.0.1:8080'],
    ['https://models.example.com', 'https://models.example.com:443'],
    ['http://[::1]:11434/', 'http://[::1]:11434'],
  ])('read OLLAMA_HOST=%s as %s', (host, url) => {
    expect(ollamaUrl(host)).toBe(url);
  });
});
