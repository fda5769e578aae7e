import { expect } from 'vitest';
import { createApp, type AppParts } from '../../src/server/app.ts';
import { Authenticator } from '../../src/server/http/auth.ts';
import { makeTinyFleet } from './tiny-backend.ts';

export const TOKEN = 'good-token';

export function setUpApp(parts: Partial<AppParts> = {}) {
  const { fleet, backend, events } = makeTinyFleet();
  backend.addAgent('sony');
  const authenticator = new Authenticator({ token: TOKEN });
  const app = createApp({ fleet, authenticator, version: '1.2.3', ...parts });
  const ask = async (path: string, init: RequestInit = {}, host = 'localhost') => {
    const headers = new Headers({ Authorization: `Bearer ${TOKEN}` });
    for (const [name, value] of new Headers(init.headers)) {
      if (value === '') headers.delete(name);
      else headers.set(name, value);
    }
    return app.request(`http://${host}${path}`, { ...init, headers });
  };
  const post = (path: string, body: unknown, method = 'POST') =>
    ask(path, { method, body: JSON.stringify(body), headers: { 'Content-Type': 'application/json' } });
  return { app, ask, post, backend, events, authenticator };
}

/** The error in a response that must have this status. */
export async function errorOf(response: Response, status: number) {
  const text = await response.text();
  expect(response.status, text).toBe(status);
  expect(JSON.parse(text)).toEqual({
    error: { code: expect.any(String), message: expect.any(String), details: expect.any(Object) },
  });
  const { error } = JSON.parse(text) as {
    error: { code: string; message: string; details: Record<string, unknown> };
  };
  return error;
}
