/** Runs in the browser, after a line that sets EVENT_KINDS. Outside text goes in by textContent alone. */
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

function rowOf(agent) {
  const row = document.createElement('tr');
  if (agent.needs_attention) row.className = 'attention';
  const name = cell('th', agent.name);
  name.scope = 'row';
  const status = cell('td', agent.status + (agent.stuck ? ', stuck' : ''), 'status');
  status.title = agent.status_reason;
  const since = agent.busy_since || agent.updated_at;
  const sinceCell = cell('td', '', 'since');
  const time = cell('time', ago(since));
  time.dateTime = since;
  time.title = new Date(since).toLocaleString();
  sinceCell.append(time);
  row.append(
    name,
    status,
    cell('td', agent.current_task || agent.last_task || '–', 'task'),
    cell('td', agent.project + ', ' + agent.role),
    sinceCell,
    cell('td', agent.needs_attention ? 'Needs you: ' + agent.status_reason : 'no', 'why'),
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
    const response = await fetch('/api/v1/agents', { cache: 'no-store' });
    const answer = await response.json();
    if (response.ok) show(answer);
    else if (response.status === 401) tell('The server was started anew: open the link that fleet serve printed.');
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

function follow() {
  const source = new EventSource('/events');
  for (const kind of EVENT_KINDS) source.addEventListener(kind, soon);
  source.addEventListener('open', soon);
  source.addEventListener('error', () => {
    soon();
    if (source.readyState === EventSource.CLOSED) setTimeout(follow, 5000);
  });
}

follow();
// Time alone changes what is shown: how long ago, and who is stuck.
setInterval(load, 15000);
`;
