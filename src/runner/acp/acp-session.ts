import { FleetError } from '../../domain/values/errors.ts';
import type { DriverContext } from '../programs/driver.ts';
import type { AcpConnection } from './acp-connection.ts';
import { isObject, type JsonObject } from '../../wire/json-rpc.ts';
import { RpcError } from '../../wire/rpc-error.ts';
import { injectedServers, sessionOptions } from './session-options.ts';

const RESOURCE_NOT_FOUND = -32_002;

export interface OpenedSession {
  readonly id: string;
  readonly how: 'new' | 'resumed';
}

/** Makes a session, or opens the one from before; a session that the agent has lost is created again. */
export async function openSession(
  connection: AcpConnection,
  context: DriverContext,
  before: string | null,
): Promise<OpenedSession> {
  const params = {
    cwd: context.directory,
    mcpServers: injectedServers(context),
    ...sessionOptions(context, connection.capabilities),
  };
  const known = before === null ? undefined : await openKnown(connection, { ...params, sessionId: before });
  const opened = known ?? (await openNew(connection, params));
  await choose(connection, opened, context);
  return { id: opened.id, how: known === undefined ? 'new' : 'resumed' };
}

interface Opened {
  readonly id: string;
  readonly answer: JsonObject;
}

async function openNew(connection: AcpConnection, params: JsonObject): Promise<Opened> {
  const answer = await connection.request('session/new', params);
  if (!isObject(answer) || typeof answer['sessionId'] !== 'string')
    throw new Error('the agent made no session');
  return { id: answer['sessionId'], answer };
}

/** By resume where the agent can, which does not tell the whole story again. */
async function openKnown(
  connection: AcpConnection,
  params: { readonly sessionId: string },
): Promise<Opened | undefined> {
  const { sessionCapabilities, loadSession } = connection.capabilities;
  const resumes = isObject(sessionCapabilities) && isObject(sessionCapabilities['resume']);
  if (!resumes && loadSession !== true) return undefined;
  try {
    const answer = await connection.request(resumes ? 'session/resume' : 'session/load', params);
    return { id: params.sessionId, answer: isObject(answer) ? answer : {} };
  } catch (thrown) {
    if (thrown instanceof RpcError && thrown.code === RESOURCE_NOT_FOUND) return undefined;
    throw thrown;
  }
}

/** The model and the mode of the role, where the agent lets one choose. */
async function choose(
  connection: AcpConnection,
  { id, answer }: Opened,
  { launch }: DriverContext,
): Promise<void> {
  const { model, mode } = launch;
  if (model !== null) {
    const option = optionOf(answer, 'model');
    if (option === undefined) throw noChoice('model', model, []);
    await set(connection, { id, configId: 'model', wanted: model, known: option });
  }
  if (mode !== undefined && mode !== null) {
    const modes = modesOf(answer);
    if (!modes.includes(mode)) throw noChoice('mode', mode, modes);
    await connection.request('session/set_mode', { sessionId: id, modeId: mode });
  }
}

interface Choice {
  readonly id: string;
  readonly configId: string;
  readonly wanted: string;
  readonly known: readonly string[];
}

async function set(connection: AcpConnection, { id, configId, wanted, known }: Choice): Promise<void> {
  try {
    await connection.request('session/set_config_option', { sessionId: id, configId, value: wanted });
  } catch (thrown) {
    if (thrown instanceof RpcError) throw noChoice(configId, wanted, known);
    throw thrown;
  }
}

function optionOf({ configOptions }: JsonObject, id: string): readonly string[] | undefined {
  const found = (Array.isArray(configOptions) ? configOptions : [])
    .filter(isObject)
    .find((option) => option['id'] === id);
  const options = found?.['options'];
  if (found === undefined) return undefined;
  return (Array.isArray(options) ? options : []).filter(isObject).map((option) => String(option['value']));
}

function modesOf({ modes }: JsonObject): readonly string[] {
  const available = isObject(modes) ? modes['availableModes'] : [];
  return (Array.isArray(available) ? available : []).filter(isObject).map((mode) => String(mode['id']));
}

function noChoice(what: string, wanted: string, known: readonly string[]): FleetError {
  const there = known.length === 0 ? 'it lets one choose none' : `it has: ${known.join(', ')}`;
  return new FleetError('INVALID_INPUT', `The agent has no ${what} "${wanted}"; ${there}.`, { field: what });
}
