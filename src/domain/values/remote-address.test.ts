import { expect, it } from 'vitest';
import { remoteAddress } from './remote-address.ts';

it.each([
  ['https://git.example.com/team/setup.git', 'https://git.example.com/team/setup'],
  ['https://me:secret@git.example.com:3000/team/setup/', 'https://git.example.com:3000/team/setup'],
  ['https://secret@git.example.com/team/setup?token=secret#secret', 'https://git.example.com/team/setup'],
  ['git@git.example.com:team/setup.git', 'ssh://git.example.com/team/setup'],
  ['git.example.com:/team/setup', 'ssh://git.example.com/team/setup'],
  ['ssh://git@git.example.com:2222/team/setup.git', 'ssh://git.example.com:2222/team/setup'],
])('of %s is without a secret', (remote, address) => {
  expect(remoteAddress(remote)).toBe(address);
});

it.each(['/srv/git/setup.git', '../setup', 'file:///srv/git/setup', 'ext::sh -c anything', ''])(
  'of %j is none',
  (remote) => {
    expect(remoteAddress(remote)).toBeUndefined();
  },
);
