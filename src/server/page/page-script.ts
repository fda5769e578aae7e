/** Runs in the browser. Outside text goes in by textContent alone. */
export const PAGE_SCRIPT = `'use strict';
const byId = (id) => document.getElementById(id);
let timer;
let loading = false;
let again = false;

function cell(tag, text, className) {
  const element = document.createElement(tag);
  element.textContent = text;
  if (className) element.className = className;
  return element;
}

function ago(time) {
  const seconds = Math.max(0, Math.round((Date.now() - Date.parse(time)) / 1000));
  if (seconds < 60) return seconds + ' s';
  if (seconds < 3600) return Math.floor(seconds / 60) + ' min';
  if (seconds < 86400) return Math.floor(seconds / 3600) + ' h';
  return Math.floor(seconds / 86400) + ' d';
}

function timeOf(moment) {
  const time = cell('time', ago(moment));
  time.dateTime = moment;
  time.title = new Date(moment).toLocaleString();
  return time;
}

// The numbers are from a moment, which is long ago for an agent that sleeps.
function gitCell(git) {
  if (!git) return cell('td', '–', 'changes');
  const files = git.changed_files + (git.changed_files === 1 ? ' file' : ' files');
  const changes = cell('td', files + ', +' + git.insertions + ' −' + git.deletions, 'changes');
  if (git.as_of) changes.append(', as of ', timeOf(git.as_of), ' ago');
  return changes;
}

function rowOf(agent) {
  const row = document.createElement('tr');
  if (agent.needs_attention) row.className = 'attention';
  const name = cell('th', agent.name);
  name.scope = 'row';
  const status = cell('td', agent.status + (agent.stuck ? ', stuck' : ''), 'status');
  status.title = agent.status_reason;
  const sinceCell = cell('td', '', 'since');
  sinceCell.append(timeOf(agent.busy_since || agent.updated_at));
  row.append(
    name,
    status,
    cell('td', agent.current_task || agent.last_task || '–', 'task'),
    gitCell(agent.git),
    cell('td', agent.project + ', ' + agent.role),
    sinceCell,
    cell('td', agent.needs_attention ? 'Needs you: ' + agent.attention_reason : 'no', 'why'),
  );
  return row;
}

function show(answer) {
  const agents = [...answer.agents].sort(
    (a, b) => Number(b.needs_attention) - Number(a.needs_attention) || a.name.localeCompare(b.name),
  );
  const wanting = agents.filter((agent) => agent.needs_attention).length;
  const busy = agents.filter((agent) => agent.status === 'busy').length;
  const summary =
    agents.length + (agents.length === 1 ? ' agent, ' : ' agents, ') + busy + ' busy, ' +
    (wanting === 0 ? 'none needs you' : wanting + (wanting === 1 ? ' needs you' : ' need you'));
  // Set only when it differs: a screen reader reads every change aloud.
  if (byId('summary').textContent !== summary) byId('summary').textContent = summary;
  document.title = wanting === 0 ? 'Fleet' : '(' + wanting + ') Fleet';
  byId('rows').replaceChildren(...agents.map(rowOf));
  byId('agents').hidden = agents.length === 0;
  byId('empty').hidden = agents.length > 0;
  const missing = (answer.unavailable || []).map((each) => each.backend + ': ' + each.message);
  tell(missing.length === 0 ? '' : 'Not all agents are shown. ' + missing.join('; '));
}

function tell(problem) {
  byId('connection').hidden = problem === '';
  if (byId('connection').textContent !== problem) byId('connection').textContent = problem;
}

async function load() {
  if (loading) {
    again = true;
    return;
  }
  loading = true;
  try {
    const response = await ask('/api/v1/agents', {});
    const answer = await response.json();
    if (response.ok) show(answer);
    else if (response.status === 401) signedOut('This browser is no longer signed in.');
    else tell(answer.error.message);
  } catch {
    tell('The server cannot be reached. Trying again…');
  } finally {
    loading = false;
    if (again) {
      again = false;
      soon();
    }
  }
}

function soon() {
  if (timer !== undefined) return;
  timer = setTimeout(() => {
    timer = undefined;
    load();
  }, 100);
}

// The secret is kept for this origin alone, port included, and sent in a header.
const SECRET = 'fleet-session';

function ask(path, headers) {
  const authorization = 'Bearer ' + localStorage.getItem(SECRET);
  return fetch(path, { cache: 'no-store', headers: { ...headers, Authorization: authorization } });
}

// By a click: a program that looks at a link in a message, to show what it leads to, must not use it up.
function clicked() {
  byId('confirm').hidden = false;
  byId('summary').hidden = true;
  return new Promise((resolve) => {
    byId('confirm-button').addEventListener('click', resolve, { once: true });
  });
}

async function signIn() {
  const code = new URLSearchParams(location.search).get('code');
  if (code === null) return;
  await clicked();
  byId('confirm').hidden = true;
  byId('summary').hidden = false;
  history.replaceState(null, '', '/');
  const response = await fetch('/session', { method: 'POST', headers: { Authorization: 'Code ' + code } });
  const answer = await response.json();
  if (response.ok) localStorage.setItem(SECRET, answer.secret);
  else byId('sign-in-problem').textContent = answer.error.message;
}

function signedOut(problem) {
  localStorage.removeItem(SECRET);
  byId('sign-in-problem').textContent = problem;
  for (const id of ['summary', 'agents', 'empty', 'connection']) byId(id).hidden = true;
  byId('sign-in').hidden = false;
}

let cursor;

// An EventSource cannot send a header.
async function follow() {
  while (localStorage.getItem(SECRET) !== null) {
    try {
      const response = await ask('/events', cursor === undefined ? {} : { 'Last-Event-ID': cursor });
      if (response.ok) {
        soon();
        await read(response.body.pipeThrough(new TextDecoderStream()).getReader());
      } else if (response.status === 400) cursor = undefined;
    } catch {
      // The list says that the server cannot be reached.
    }
    soon();
    await new Promise((resolve) => setTimeout(resolve, 2000));
  }
}

async function read(reader) {
  let rest = '';
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const lines = (rest + value).split('\\n');
    rest = lines.pop();
    for (const line of lines) {
      if (line.startsWith('id: ')) cursor = line.slice(4);
      if (line.startsWith('event: ')) soon();
    }
  }
}

async function start() {
  try {
    await signIn();
  } catch {
    tell('The server cannot be reached. Reload the page to try again.');
    return;
  }
  if (localStorage.getItem(SECRET) === null) {
    signedOut(byId('sign-in-problem').textContent);
    return;
  }
  follow();
  // Time alone changes what is shown: how long ago, and who is stuck.
  setInterval(() => localStorage.getItem(SECRET) !== null && load(), 15000);
}

start();
`;
