#!/usr/bin/env node
// Three processes that write down each signal they get: a program, its child, and one in a session of its own.
// The task is JSON: {"out": file, "ends": {name: signal that it ends by}}. The program ends after the others.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFileSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const [name = 'main', given] = process.argv.slice(2);
const text = given ?? readFileSync(0, 'utf8');
const { out, ends } = JSON.parse(text);
const note = (what) => appendFileSync(out, `${name} ${what}\n`);

const children = [];
if (name === 'main') {
  for (const [child, detached] of [
    ['child', false],
    ['session', true],
  ])
    children.push(
      spawn(process.execPath, [fileURLToPath(import.meta.url), child, text], { detached, stdio: 'ignore' }),
    );
}
const gone = Promise.all(children.map((child) => once(child, 'exit')));
for (const signal of ['SIGINT', 'SIGTERM']) {
  process.on(signal, async () => {
    note(signal);
    if (signal !== ends[name]) return;
    await gone;
    process.exit(0);
  });
}
note('ready');
setInterval(() => {}, 1000);
