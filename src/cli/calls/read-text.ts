import { once } from 'node:events';
import { fstatSync, readFileSync, statSync } from 'node:fs';
import { resolve } from 'node:path';
import { FleetError, quote, type ErrorCode } from '../../domain/values/errors.ts';
import { TASK_TEXT_LIMIT } from '../../domain/task.ts';
import type { Cli } from '../output/cli.ts';

/** More bytes than any text of the limit can have. */
const TEXT_BYTES_LIMIT = TASK_TEXT_LIMIT * 4;
const STDIN = 0;
const SAYS_NOTHING_MS = 2_000;

/** Words of the command line as one text; `-`, or none while something is piped in, means stdin. */
export async function textOf(cli: Cli, words: readonly string[], field: string): Promise<string | undefined> {
  const asked = words.length === 1 && words[0] === '-';
  if (!asked && words.length > 0) return words.join(' ');
  if (!asked && !(await isPiped(cli.stdin))) return undefined;
  const text = await readStdin(cli, { field, limit: TEXT_BYTES_LIMIT, code: 'INVALID_INPUT' });
  return text.replace(/\r?\n$/, '');
}

/** Whether somebody gives us something. A program that starts us often leaves stdin open and says nothing. */
async function isPiped(stdin: NodeJS.ReadStream): Promise<boolean> {
  if (stdin.isTTY) return false;
  const kind = fstatSync(STDIN);
  if (kind.isFIFO() || kind.isFile()) return true;
  if (!kind.isSocket()) return false;
  try {
    await once(stdin, 'readable', { signal: AbortSignal.timeout(SAYS_NOTHING_MS) });
    return true;
  } catch {
    stdin.destroy();
    return false;
  }
}

export function readTextFile(cli: Cli, file: string, field: string): string {
  const path = resolve(cli.cwd, file);
  try {
    if (statSync(path).size > TEXT_BYTES_LIMIT) {
      throw new FleetError(
        'INVALID_INPUT',
        `The file ${quote(file)} is longer than ${TASK_TEXT_LIMIT} characters.`,
        {
          field,
        },
      );
    }
    return readFileSync(path, 'utf8');
  } catch (cause) {
    if (cause instanceof FleetError) throw cause;
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new FleetError(
      'INVALID_INPUT',
      `The file ${quote(file)} cannot be read: ${why}.`,
      { field },
      cause,
    );
  }
}

/** All of stdin, up to a limit: what comes after that is not waited for. */
export async function readStdin(
  cli: Cli,
  { field, limit, code }: { readonly field: string; readonly limit: number; readonly code: ErrorCode },
): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of cli.stdin) {
    const bytes = Buffer.isBuffer(chunk) ? chunk : Buffer.from(String(chunk));
    chunks.push(bytes);
    size += bytes.length;
    if (size > limit) {
      throw new FleetError(code, `The input on stdin is longer than ${limit} bytes.`, { field });
    }
  }
  return Buffer.concat(chunks).toString('utf8');
}
