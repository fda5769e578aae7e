import { describe, expect, it } from 'vitest';
import { refusedPath } from './refused-path.ts';

describe('the path that a program was refused', () => {
  it.each([
    ["touch: cannot touch '/home/me/x y': Read-only file system", '/home/me/x y'],
    ['mkdir: cannot create directory ‘/srv/a’: Read-only file system', '/srv/a'],
    ['sh: 1: cannot create /home/me/.bashrc: Read-only file system', '/home/me/.bashrc'],
    ['bash: /home/me/.bashrc: Read-only file system', '/home/me/.bashrc'],
    ["Error: EROFS: read-only file system, mkdir '/home/me/.npm/_logs'", '/home/me/.npm/_logs'],
    ["OSError: [Errno 30] Read-only file system: '/home/me/.local/lib'", '/home/me/.local/lib'],
    ['open /home/me/go/pkg/mod/cache/lock: read-only file system', '/home/me/go/pkg/mod/cache/lock'],
    ['error: could not lock config file /home/me/.gitconfig: Read-only file system', '/home/me/.gitconfig'],
    [
      'ran make\ninstall: cannot create regular file "/usr/local/bin/x": Read-only file system',
      '/usr/local/bin/x',
    ],
  ])('is read from %s', (line, path) => {
    expect(refusedPath(line)).toBe(path);
  });

  it.each(["touch: cannot touch 'x': Read-only file system", 'reading /etc/passwd', ''])(
    'is not read from %j',
    (line) => {
      expect(refusedPath(line)).toBeUndefined();
    },
  );
});
