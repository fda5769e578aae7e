import { expect, it } from 'vitest';
import { proxiedJson } from './proxied-json.ts';

const SERVER = { url: 'http://coder.invalid', token_env: 'CODER_SESSION_TOKEN' };

it.each([
  ['7', 7],
  ['soon', 1],
  [undefined, 1],
])('a workspace that is asked too much says for how long to wait: %s', (header, retry_after_seconds) => {
  const headers = {
    'content-type': 'application/json',
    ...(header === undefined ? {} : { 'retry-after': header }),
  };
  expect(() => proxiedJson({ status: 429, headers, text: '{}' }, SERVER)).toThrow(
    expect.objectContaining({
      code: 'RATE_LIMITED',
      message: expect.stringContaining(`in ${retry_after_seconds} s`) as string,
      details: { reason: 'coder_rate_limit', retry_after_seconds },
    }),
  );
});
