import { totalmem } from 'node:os';
import type { LoadedConfig } from '../config/config-source.ts';
import { requireTrust } from '../config/config-source.ts';
import type { Caller } from '../domain/principal.ts';
import type { Fleet } from '../fleet/fleet.ts';
import type { ToolService } from '../orchestrator/calls/tool-service.ts';
import { machineCapacity } from '../platform/processes/machine-capacity.ts';
import type { ModelMemory } from './context/window.ts';
import { openModel } from './model/open-model.ts';
import { oneAtATime } from './one-at-a-time.ts';
import { sessionCaller } from './session-caller.ts';
import type { SessionEvent } from './session-event.ts';
import { SessionLog } from './session-log.ts';
import { sessionSettings, type SessionFlags, type SessionSettings } from './session-settings.ts';
import { Session } from './session.ts';
import type { Approver } from './tools/approver.ts';

/** What the tools of a session act on. */
export interface SessionAccess {
  readonly fleet: Fleet;
  readonly service: ToolService;
}

export interface OpenSessionParts {
  readonly home: string;
  /** Called when the model is being checked. */
  readonly access: () => Promise<SessionAccess>;
  readonly settings: SessionSettings;
  /** Who talks to the session, and answers for it. */
  readonly person: Caller;
  readonly approver: Approver;
  readonly emit: (event: SessionEvent) => void;
  /** The conversation to resume. */
  readonly conversation_id?: string | undefined;
  /** False: the conversation is not kept. */
  readonly keeps?: boolean;
}

export function openSession(parts: OpenSessionParts): Session {
  const { home, settings, person, emit } = parts;
  const caller = sessionCaller(person, settings.view);
  const log = new SessionLog({
    home,
    id: parts.conversation_id,
    keeps: parts.keeps ?? true,
    notice: (text) => emit({ type: 'notice', text }),
  });
  return new Session({
    settings,
    model: openModel(settings),
    openTools: async () => {
      const [{ SessionTools }, access] = await Promise.all([
        import('./tools/session-tools.ts'),
        parts.access(),
      ]);
      return new SessionTools({ ...access, caller });
    },
    log,
    approver: oneAtATime(parts.approver),
    emit,
    memory: () => (isHere(settings.url) ? machineMemory() : null),
  });
}

function machineMemory(): Pick<ModelMemory, 'free' | 'total'> | null {
  const { memory: free } = machineCapacity();
  return free === null ? null : { free, total: totalmem() };
}

/** The settings of a configuration. An untrusted one must not decide where messages and keys are sent. */
export function settingsOf(
  loaded: LoadedConfig,
  flags: SessionFlags,
  env: NodeJS.ProcessEnv,
): SessionSettings {
  const { session } = loaded.config;
  if (session !== undefined) requireTrust(loaded);
  return sessionSettings(session, flags, env);
}

/** True for a model server on this machine. */
function isHere(url: string): boolean {
  const { hostname } = new URL(url);
  return hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.');
}
