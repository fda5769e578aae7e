// An agent that commits, pushes its branch, and opens a pull request that has its task as the title.
import { execFileSync } from 'node:child_process';

const git = (...args) => execFileSync('git', args, { encoding: 'utf8' }).trim();
const { FLEET_TASK: title, FORGE_API, FORGE_TOKEN } = process.env;

git(
  '-c',
  'user.name=Agent',
  '-c',
  'user.email=agent@localhost',
  'commit',
  '--quiet',
  '--allow-empty',
  '-m',
  title,
);
git('push', '--quiet', 'origin', 'HEAD');
const response = await fetch(`${FORGE_API}/pulls`, {
  method: 'POST',
  headers: { authorization: `token ${FORGE_TOKEN}`, 'content-type': 'application/json' },
  body: JSON.stringify({ title, head: git('branch', '--show-current'), base: 'main' }),
});
if (!response.ok) throw new Error(`${response.status} ${await response.text()}`);
const { html_url } = await response.json();
console.log(`opened ${html_url}`);
