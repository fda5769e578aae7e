#!/usr/bin/env node
// A small real agent program: its task is a JSON list of steps, done one after the other.
import { spawn, spawnSync } from 'node:child_process';
import { appendFileSync, existsSync, writeFileSync } from 'node:fs';

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const text = Buffer.concat(chunks).toString('utf8');

let steps;
try {
  steps = JSON.parse(text);
} catch {
  steps = [{ say: `did: ${text}` }];
}
for (const step of Array.isArray(steps) ? steps : [{ say: `did: ${text}` }]) await perform(step);

async function perform(step) {
  if ('say' in step) console.log(step.say);
  if ('complain' in step) console.error(step.complain);
  if ('write' in step) writeFileSync(step.write, step.content ?? 'written\n');
  if ('append' in step) appendFileSync(step.append, `${process.env.FLEET_AGENT}\n`);
  if ('hold' in step) await until(() => existsSync(step.hold));
  if ('report' in step)
    fleet([
      'report',
      step.report,
      ...(step.uri ? ['--uri', step.uri] : []),
      ...(step.state ? ['--state', step.state] : []),
    ]);
  if ('queue' in step) fleet(['task', '--self', step.queue]);
  if ('meta' in step) fleet(['meta', 'set', step.meta, step.value]);
  if ('orphan' in step) spawn('sleep', [String(step.orphan)], { detached: true, stdio: 'ignore' }).unref();
  if ('ignore' in step) for (const signal of step.ignore) process.on(signal, () => {});
  if ('exit' in step) process.exit(step.exit);
}

async function until(holds) {
  while (!holds()) await new Promise((resolve) => setTimeout(resolve, 10));
}

function fleet(args) {
  const { status, stderr } = spawnSync('fleet', args, { encoding: 'utf8' });
  if (status !== 0) console.error(`fleet ${args[0]} exited with ${status}: ${stderr}`);
}
