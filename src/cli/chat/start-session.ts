import { FleetError } from '../../domain/values/errors.ts';
import type { PullProgress } from '../../session/model/model.ts';
import { openModel } from '../../session/model/open-model.ts';
import type { SessionSettings } from '../../session/session-settings.ts';
import type { Session, SessionStart } from '../../session/session.ts';
import { bytesText } from '../../domain/values/bytes-text.ts';
import type { Cli } from '../output/cli.ts';
import { cutToWidth } from '../output/display-width.ts';
import { printableLine } from '../output/printable.ts';
import type { AskQuestion } from './ask-line.ts';

export interface StartedSession {
  readonly session: Session;
  readonly start: SessionStart;
  readonly settings: SessionSettings;
}

export interface StartParts {
  readonly cli: Cli;
  readonly open: () => { readonly session: Session; readonly settings: SessionSettings };
  /** Undefined where nobody can be asked. */
  readonly question: AskQuestion | undefined;
}

/** Starts a session. Offers to download a model that is not there, when a person can be asked. */
export async function startSession(parts: StartParts, signal: AbortSignal): Promise<StartedSession> {
  const { open } = parts;
  const { session, settings } = open();
  try {
    return { session, settings, start: await session.start(signal) };
  } catch (thrown) {
    await session[Symbol.asyncDispose]();
    if (!(await pulled(parts, { thrown, settings }, signal))) throw thrown;
  }
  const again = open();
  return { ...again, start: await again.session.start(signal) };
}

/** True when the model was downloaded. */
async function pulled(
  { cli, question }: StartParts,
  { thrown, settings }: { readonly thrown: unknown; readonly settings: SessionSettings },
  signal: AbortSignal,
): Promise<boolean> {
  const model = openModel(settings);
  const isMissing = thrown instanceof FleetError && thrown.details.reason === 'MODEL_NOT_FOUND';
  if (!isMissing || settings.model === undefined || model.pull === undefined) return false;
  if (question === undefined) return false;
  cli.err.line(printableLine(thrown.message));
  const answer = await question(`Pull ${printableLine(settings.model)} now? [y/N] `, signal);
  if (!/^y(?:es)?$/i.test(answer.trim())) return false;
  try {
    for await (const progress of model.pull(signal)) showProgress(progress, cli);
    cli.err.line();
    return true;
  } catch (failed) {
    cli.err.line();
    if (!signal.aborted) throw failed;
    cli.err.line(`Stopped: ${printableLine(settings.model)} was not pulled.`);
    return false;
  }
}

/** Each line replaces the one before. One that is wider than the terminal could not be replaced. */
function showProgress({ status, total, completed }: PullProgress, { err }: Cli): void {
  const part = total === null ? '' : ` ${bytesText(completed ?? 0)} of ${bytesText(total)}`;
  err.write(`\r\u001b[K${cutToWidth(printableLine(status) + part, err.columns - 1)}`);
}
