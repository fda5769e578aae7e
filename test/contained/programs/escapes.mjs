// An agent that tries to change what is not its own. Says for each way whether it got anywhere, one JSON line each.
import { readFileSync } from 'node:fs';
import { files } from './escapes/files.mjs';
import { fleet } from './escapes/fleet.mjs';
import { machine } from './escapes/machine.mjs';
import { tryAll } from './escapes/ways.mjs';

const given = JSON.parse(readFileSync(0, 'utf8'));
if (given.home === undefined) process.exit(0);
await tryAll({ ...files(given), ...machine(given), ...fleet(given) });
