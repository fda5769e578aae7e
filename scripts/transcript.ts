// Writes docs/transcript.md: a real MCP client on a real fleet, what it asked and what was answered.
// With --check it writes nothing and fails when a new run gives another text.
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Client } from '@modelcontextprotocol/client';
import { Notes } from './transcript/notes.ts';
import { openStage, type Stage } from './transcript/stage.ts';

const PAGE = join(import.meta.dirname, '..', 'docs', 'transcript.md');

const INTRODUCTION = `# A transcript

<!-- Made by \`npm run transcript\`. Edit scripts/transcript.ts, not this page. -->

A real MCP client (the TypeScript SDK) on a real fleet: first by \`fleet mcp\` on stdio, then by \`/mcp\` of
\`fleet serve\`. The project is a git repository with one commit, the role runs each task by \`sh -s\`. Answers are
shortened to what matters here. Ids, times, commits and cursors differ in each run, so that they are replaced; all else
stands as it was answered. A test runs the same again and compares.`;

/** The fields of answers that are shown. */
const AGENT = ['agent.name', 'agent.project', 'agent.role', 'agent.created_by', 'message'];
const LOGS = ['logs[].level', 'logs[].type', 'logs[].message', 'total_count', 'has_next_page'];
const TASK = ['task.id', 'agent_status', 'message'];
const HISTORY = ['tasks[].id', 'tasks[].message', 'tasks[].state', 'total_count'];
const DELETED = ['agent_name', 'message', 'kept'];

const text = await record();
if (!process.argv.includes('--check')) writeFileSync(PAGE, text);
else if (readFileSync(PAGE, 'utf8') !== text) {
  console.error(
    `docs/transcript.md is not what a run gives now (npm run transcript writes it anew):\n\n${text}`,
  );
  process.exitCode = 1;
}

async function record(): Promise<string> {
  await using stage = await openStage();
  const notes = new Notes();
  notes.say(INTRODUCTION);
  {
    await using connection = await stage.stdio();
    await lookAround(connection.client, notes);
    await createThree(connection.client, notes);
    await readResults(connection.client, notes);
    await conflictAndCancel(connection.client, notes);
  }
  await surviveServer(stage, notes);
  return notes.text();
}

async function lookAround(client: Client, notes: Notes): Promise<void> {
  notes.heading('What there is');
  const { tools } = await client.listTools();
  notes.say(
    `The client speaks MCP ${client.getNegotiatedProtocolVersion() ?? '?'} and is offered these tools:`,
  );
  notes.say(tools.map(({ name }) => `\`${name}\``).join(', '));
  await notes.call(client, 'list_agent_projects', {}, [
    'projects[].name',
    'projects[].description',
    'total_count',
  ]);
  await notes.call(client, 'list_agent_roles', { project: 'notes' }, [
    'project',
    'roles[].name',
    'roles[].default',
  ]);
}

async function createThree(client: Client, notes: Notes): Promise<void> {
  notes.heading('Three agents');
  const write =
    'echo "Fleet keeps notes." > NOTES.md && git add NOTES.md && git commit --quiet -m "Add notes" && echo committed';
  await notes.call(client, 'create_agent', { project: 'notes', name: 'ada', task: write }, AGENT);
  await notes.call(client, 'create_agent', { project: 'notes', name: 'milo', task: 'ls' }, AGENT);
  await notes.call(
    client,
    'create_agent',
    { project: 'notes', name: 'kay', task: 'echo "no licence here" >&2; exit 3' },
    AGENT,
  );
  await notes.call(client, 'wait_for_agents', { timeout_seconds: 60 }, [
    'agents[].name',
    'agents[].status',
    'agents[].needs_attention',
    'agents[].status_reason',
    'timed_out',
  ]);
}

async function readResults(client: Client, notes: Notes): Promise<void> {
  notes.heading('What they did');
  await notes.until(client, 'show_agent', { agent_name: 'ada' }, (answer) =>
    JSON.stringify(answer).includes('"ahead":1'),
  );
  await notes.call(client, 'show_agent', { agent_name: 'ada' }, [
    'agent.name',
    'agent.status',
    'agent.git.branch',
    'agent.git.ahead',
    'agent.git.dirty',
    'agent.git.last_commit',
  ]);
  await notes.call(client, 'show_agent_task_history', { agent_name: 'kay' }, [
    'tasks[].id',
    'tasks[].kind',
    'tasks[].message',
    'tasks[].state',
    'tasks[].needs_user_attention',
    'tasks[].source',
    'total_count',
  ]);
  await notes.call(client, 'show_agent_log', { agent_name: 'kay', page_size: 3 }, LOGS);
  await notes.call(client, 'acknowledge_agent', { agent_name: 'kay' }, ['message']);
}

async function conflictAndCancel(client: Client, notes: Notes): Promise<void> {
  notes.heading('A long task, canceled');
  const next = { agent_name: 'milo', task_description: 'echo after the long one' };
  await notes.call(client, 'start_agent_task', { agent_name: 'milo', task_description: 'sleep 600' }, TASK);
  await notes.until(client, 'show_agent', { agent_name: 'milo' }, (answer) =>
    JSON.stringify(answer).includes('"current_task":"sleep 600"'),
  );
  notes.say('A busy agent refuses another task, unless it is told to queue it:');
  await notes.call(client, 'start_agent_task', next, TASK);
  await notes.call(client, 'start_agent_task', { ...next, when_busy: 'queue' }, TASK);
  await notes.call(client, 'cancel_agent_task', { agent_name: 'milo' }, ['interrupt_sent', 'message']);
  await notes.call(client, 'wait_for_agents', { agent_names: 'milo' }, [
    'agents[].name',
    'agents[].status',
    'timed_out',
  ]);
  await notes.call(client, 'show_agent_task_history', { agent_name: 'milo', page_size: 2 }, HISTORY);
}

async function surviveServer(stage: Stage, notes: Notes): Promise<void> {
  notes.heading('The server dies in the middle of a task');
  const task = 'echo first half; until [ -e "$RELEASE" ]; do sleep 0.1; done; echo second half';
  const asked = { agent_name: 'ada' };
  {
    await using server = await stage.serve();
    await using connection = await server.connect();
    notes.say(
      'From here on the client is connected to `/mcp` of `fleet serve`. The task waits for a file, so that it runs for as long as this takes.',
    );
    await notes.call(connection.client, 'start_agent_task', { ...asked, task_description: task }, TASK);
    await notes.until(connection.client, 'show_agent_log', asked, (answer) =>
      JSON.stringify(answer).includes('"first half"'),
    );
    await server.kill('SIGKILL');
    notes.say('`kill -9` of `fleet serve`. The next call finds nobody:');
    await notes.failingCall(connection.client, 'show_agent', asked);
  }
  await using server = await stage.serve();
  await using connection = await server.connect();
  notes.say('A new `fleet serve`, and a new connection. The agent has not noticed:');
  await notes.call(connection.client, 'show_agent', asked, [
    'agent.name',
    'agent.status',
    'agent.status_reason',
    'agent.current_task',
  ]);
  stage.release();
  notes.say('The file is made, and the task goes on to its end:');
  await notes.call(connection.client, 'wait_for_agents', { agent_names: 'ada' }, [
    'agents[].name',
    'agents[].status',
    'timed_out',
  ]);
  await notes.call(connection.client, 'show_agent_task_history', { ...asked, page_size: 1 }, HISTORY);
  await notes.call(connection.client, 'show_agent_log', { ...asked, page_size: 3 }, LOGS);

  notes.heading('The end');
  notes.say('What ada committed is on no other branch, so that it is kept.');
  for (const agent_name of ['ada', 'milo', 'kay'])
    await notes.call(connection.client, 'delete_agent', { agent_name }, DELETED);
  await notes.call(connection.client, 'list_agents', {}, ['agents', 'total_count']);
}
