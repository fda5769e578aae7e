import { lstatSync, readdirSync, renameSync, rmdirSync, symlinkSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { anyOf, makeIn, plant, reach } from './ways.mjs';

/** Ways to what other agents have, to places that later agents use, and to what listens on this machine. */
export function fleet({ home, other, otherCaches, port, abstract }) {
  const own = process.env.FLEET_WORKSPACE_ID;
  const caches = dirname(process.env.npm_config_cache ?? join(otherCaches, 'npm'));
  return {
    'read the files of another agent': () => {
      const places = ['state', 'tmp', 'var-tmp', 'bin'].map((name) => join(home, 'agents', other, name));
      anyOf(places, readdirSync);
    },
    'put a program before another agent': () => makeIn(join(home, 'agents', other, 'bin')),
    'read the caches of another project': () => readdirSync(otherCaches),
    'write to the caches of another project': () => plant(join(otherCaches, 'npm', 'planted')),
    'make a workspace of its own choice': () => makeIn(join(home, 'agents')),
    'move its workspace': () => moveOut(process.cwd()),
    'move the directory around its workspace': () => moveOut(dirname(process.cwd())),
    'replace the caches of its project by a link': () => {
      rmdirSync(caches);
      symlinkSync('/etc', caches);
    },
    'be in the way of the next probe': () => {
      const outside = readdirSync('/tmp').filter((name) => name.startsWith('fleet-'));
      anyOf(
        outside.map((name) => join('/tmp', name)).filter((path) => lstatSync(path).isDirectory()),
        moveOut,
      );
    },
    'put a socket in the place of its runner': () => moveOut(join(home, 'agents', own, 'runner.sock')),
    'reach a service on loopback': () => reach({ host: '127.0.0.1', port }),
    'reach an abstract socket of its user': () => reach(`\0${abstract}`),
  };
}

function moveOut(path) {
  renameSync(path, `${path}-away`);
  renameSync(`${path}-away`, path);
}
