import { quote } from '../../domain/values/errors.ts';
import { METHOD_NOT_FOUND, RpcError, WireLost } from '../../wire/rpc-error.ts';

/** What is wrong with a program that did not begin to speak ACP; an error that an agent itself answered with stays. */
export function noAcp(thrown: unknown, command: readonly string[], complaints: readonly string[]): unknown {
  const isRefusal = thrown instanceof RpcError && thrown.code === METHOD_NOT_FOUND;
  if (!isRefusal && !(thrown instanceof WireLost)) return thrown;
  const last = complaints.findLast((line) => line.trim() !== '');
  const parts = [
    `${quote(command.join(' '))} does not speak ACP, or could not begin to: ${thrown.message.replace(/\.$/, '')}`,
    last === undefined ? 'it printed nothing on stderr' : `it printed last ${quote(last.trim())}`,
    'let command of the role be a program that speaks ACP on its stdin and stdout, or say agent: command',
  ];
  return new WireLost(parts.join('; '), { cause: thrown });
}
