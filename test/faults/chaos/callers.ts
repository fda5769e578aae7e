import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { byRequest, outcomeOf, type Call, type Outcome } from '../interfaces.ts';
import { FLEET } from '../../support/fleets/fleet-process.ts';
import { Random } from '../random.ts';
import type { Stage } from '../stage.ts';
import { taskText } from '../task-text.ts';
import { ACTIONS, describeDecision, keyOf, type Decision, type Answered } from './chaos-notes.ts';
import type { ChaosServer } from './chaos-server.ts';

const NAMES = ['ash', 'elm', 'fir', 'oak'] as const;
const LONGEST_LIFE_MS = 900;

export interface CallersParts {
  readonly stage: Stage;
  readonly server: ChaosServer;
  readonly seed: number;
  readonly signal: AbortSignal;
  tell(line: string): void;
}

/** One caller: a sequence of calls that the seed alone decides, each made when the one before is over. */
export async function runCaller(caller: number, parts: CallersParts): Promise<Answered[]> {
  const random = new Random(parts.seed * 31 + caller);
  const told: Answered[] = [];
  for (let number = 1; !parts.signal.aborted; number++) {
    const decision = decide(random, caller, number);
    parts.tell(describeDecision(decision));
    const call = callOf(parts.stage, decision);
    const outcomes = [await make(parts, decision, call)];
    if (outcomes[0]?.kind === 'cut')
      outcomes.push(await make(parts, { ...decision, killAfterMs: undefined }, call));
    told.push({ decision, outcomes });
  }
  return told;
}

/** Draws the same numbers whatever came of the calls before. */
function decide(random: Random, caller: number, number: number): Decision {
  const [action, name] = [random.pick(ACTIONS), random.pick(NAMES)];
  const [through, life, killed] = [random.next() < 0.6, random.below(LONGEST_LIFE_MS), random.next() < 0.4];
  return {
    caller,
    number,
    action,
    name,
    through: through ? 'cli' : 'server',
    killAfterMs: killed ? life : undefined,
  };
}

function callOf({ directory }: Stage, decision: Decision): Call {
  const { action, name: agent_name } = decision;
  const key = keyOf(decision);
  const text = taskText(directory, key, {
    steps: [`echo ${key} > work-${key}.txt`, `sleep 0.${decision.number % 5}`],
  });
  const task = { agent_name, task_description: text, idempotency_key: key };
  switch (action) {
    case 'create':
      return {
        operation: 'create_agent',
        input: { project: 'Setup', name: agent_name, task: text, idempotency_key: key },
      };
    case 'task':
      return { operation: 'start_agent_task', input: task };
    case 'queue':
    case 'interrupt':
      return { operation: 'start_agent_task', input: { ...task, when_busy: action } };
    case 'cancel':
      return { operation: 'cancel_agent_task', input: { agent_name } };
    case 'stop':
      return { operation: 'stop_agent', input: { agent_name } };
    case 'restart':
      return { operation: 'restart_agent', input: { agent_name } };
    case 'delete':
      return { operation: 'delete_agent', input: { agent_name } };
    case 'metadata':
      return { operation: 'set_agent_metadata', input: { agent_name, key: 'fleet_mcp_note', value: key } };
    case 'list':
      return { operation: 'list_agents', input: {} };
  }
}

async function make(
  { stage, server }: CallersParts,
  { through, killAfterMs }: Decision,
  call: Call,
): Promise<Outcome> {
  if (through === 'server') return byRequest(await server.address(), call);
  const args = [FLEET, 'call', call.operation, JSON.stringify(call.input)];
  const child = spawn(process.execPath, args, { env: stage.env, stdio: ['ignore', 'pipe', 'ignore'] });
  const timer = killAfterMs === undefined ? undefined : setTimeout(() => child.kill('SIGKILL'), killAfterMs);
  let stdout = '';
  child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString('utf8')));
  await once(child, 'close');
  clearTimeout(timer);
  return outcomeOf(stdout);
}
