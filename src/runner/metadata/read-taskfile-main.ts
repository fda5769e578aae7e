import { readTaskfile } from './read-taskfile.ts';

/** Reads a Taskfile for a runner, in a process of its own: a parser of YAML in each runner would cost memory, and what
 *  it reads was written by an agent. */
const [file = ''] = process.argv.slice(2);
process.stdout.write(`${JSON.stringify(readTaskfile(file))}\n`);
