import { FleetError, quote } from '../../domain/values/errors.ts';
import { cut, withoutFullStop } from '../../domain/values/text.ts';
import { agentError } from '../../orchestrator/servers/agent-error.ts';

/** The server cannot be reached at all. */
export function unavailable(url: string, hint: string, cause?: unknown): FleetError {
  return agentError('OLLAMA_UNAVAILABLE', `No model server answers at ${url}. ${hint}`, { url, cause });
}

/** The server does not have the model. */
export function noModel(
  model: string | undefined,
  { models, hint }: { readonly models: readonly string[]; readonly hint: string },
): FleetError {
  const which =
    model === undefined
      ? 'The model server has no suitable model.'
      : `The model server does not have the model ${quote(model)}.`;
  const there = models.length === 0 ? 'It has none.' : `It has: ${models.join(', ')}.`;
  return agentError('MODEL_NOT_FOUND', `${which} ${there} ${hint}`, {
    model: model ?? null,
    models,
  });
}

export function invalidResponse(url: string, problem: string, cause?: unknown): FleetError {
  return agentError(
    'INVALID_RESPONSE',
    `The model server at ${url} sent an invalid answer: ${withoutFullStop(problem)}.`,
    { url, cause },
  );
}

export function silentServer(url: string, silent_after_ms: number, cause?: unknown): FleetError {
  const seconds = Math.round(silent_after_ms / 1000);
  return agentError(
    'NETWORK_TIMEOUT',
    `The model server at ${url} sent nothing for ${seconds} s. Try again, or raise session.silent_after_seconds in fleet.yaml.`,
    { url, cause },
  );
}

/** The first words of what a server sent, safe in a message. */
export function shown(text: string): string {
  return quote(cut(text.replaceAll(/\s+/g, ' ').trim(), 80));
}

/** The server answered, and refused the request. */
export function refused(
  url: string,
  { status, message }: { readonly status: number; readonly message: string },
  api_key_env: string | undefined,
): FleetError {
  const isKey = status === 401 || status === 403;
  const did = status >= 500 ? 'failed to answer' : 'refused the request';
  const hint = !isKey
    ? ''
    : api_key_env === undefined
      ? ' Name the environment variable with the API key: session.api_key_env in fleet.yaml.'
      : ` Check the API key in the environment variable ${api_key_env}.`;
  return new FleetError(
    'SERVICE_UNAVAILABLE',
    `The model server at ${url} ${did} (status ${status}): ${withoutFullStop(message)}.${hint}`,
    { reason: 'model_refused', status, url },
  );
}
