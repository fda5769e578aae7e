import { expect, it } from 'vitest';
import { openSelf } from './open-self.ts';

it('inside an agent the caller is the agent, with rights on itself only', () => {
  const { caller } = openSelf({ FLEET_SELF_SOCKET: '/run/self.sock', FLEET_AGENT: 'sony' });
  expect(caller).toEqual({
    principal: { kind: 'agent', name: 'sony' },
    door: 'self',
    source: 'agent',
    scopes: new Set(['self']),
    self: { agent_name: 'sony' },
  });
});

it.each([{ FLEET_AGENT: 'sony' }, { FLEET_SELF_SOCKET: '/run/self.sock' }])(
  'elsewhere it is FORBIDDEN: %o',
  (env) => {
    expect(() => openSelf(env)).toThrow(
      expect.objectContaining({ code: 'FORBIDDEN', message: expect.stringContaining('FLEET_SELF_SOCKET') }),
    );
  },
);
