import type { JsonObject } from '../../wire/json-rpc.ts';
import { cutToWidth } from '../output/display-width.ts';
import type { Paint } from '../output/output.ts';
import { printableLine } from '../output/printable.ts';

const WIDEST = 100;

export interface FinishedCall {
  readonly tool: string;
  readonly arguments: JsonObject;
  readonly failed: boolean;
  readonly took_ms: number;
  readonly text: string;
}

/** A tool call in one line: its name, arguments and duration, and the message of a failure. */
export function callLine(
  call: FinishedCall,
  { paint, columns }: { readonly paint: Paint; readonly columns: number },
): string {
  const { tool, failed, took_ms } = call;
  const took = `${(took_ms / 1000).toFixed(1)} s`;
  const given = argumentsText(call.arguments);
  const words = [printableLine(tool), given, `(${took})`, failed ? printableLine(messageIn(call.text)) : '']
    .filter((word) => word !== '')
    .join(' ');
  const mark = failed ? '✗' : '✓';
  const line = cutToWidth(`${mark} ${words}`, Math.min(columns, WIDEST));
  return paint(failed ? 'red' : 'dim', line);
}

/** The arguments as `name=value`. */
export function argumentsText(given: JsonObject): string {
  return Object.entries(given)
    .map(
      ([name, value]) =>
        `${name}=${printableLine(typeof value === 'string' ? value : JSON.stringify(value))}`,
    )
    .join(' ');
}

/** The message of an error body, or the text itself. The body may be cut off, so that it is no longer JSON. */
function messageIn(text: string): string {
  const [, message] = /"message":"((?:[^"\\]|\\.)*)/.exec(text) ?? [];
  if (message === undefined) return text;
  try {
    return String(JSON.parse(`"${message}"`));
  } catch {
    return message;
  }
}
