import { fieldValue } from '../../domain/metadata/field-value.ts';
import { METADATA_VALUE_LIMIT } from '../../domain/metadata/metadata.ts';
import { cut } from '../../domain/values/text.ts';
import { runProgram } from '../programs/run-program.ts';
import { metadataProgram, type MetadataPlace } from '../programs/metadata-place.ts';
import { TimeLimit } from './time-limit.ts';

export interface FieldRun {
  /** The `task` program. */
  readonly program: string;
  readonly file: string;
  readonly task: string;
  /** Tells it from the others that run at the same time. */
  readonly part: string;
}

const FIELD_LIMIT_MS = 5_000;
const ERROR_LINES = 3;
const ERROR_LENGTH = 400;

/** Runs one task and takes what it printed; it and all that it started are gone afterwards. Never throws. */
export async function runField(
  place: MetadataPlace,
  run: FieldRun,
  signal: AbortSignal,
): Promise<{ value: unknown; error: string | null }> {
  // Either would be taken for something else than the name of a task.
  if (run.task.startsWith('-') || run.task.includes('='))
    return failed(`task cannot be asked for "${run.task}": rename it, without "=" and a "-" at its start`);
  const output = new Capture();
  const errors: string[] = [];
  using limit = new TimeLimit(FIELD_LIMIT_MS, signal);
  const exit = await runProgram(
    {
      ...metadataProgram(place, run.part),
      command: [
        run.program,
        '--silent',
        '--exit-code',
        '--color=false',
        '--output=interleaved',
        `--taskfile=${run.file}`,
        `--dir=${place.directory}`,
        run.task,
      ],
      onOutput: (line) => {
        output.add(line);
        if (output.isFull) limit.end();
      },
      onError: (line) => {
        if (line.trim() !== '') errors.push(cut(line.trim(), ERROR_LENGTH));
        if (errors.length > ERROR_LINES) errors.shift();
      },
    },
    limit.signal,
  );
  if (output.isFull) return fieldValue(output.text);
  if (limit.signal.aborted)
    return failed(
      signal.aborted ? 'it was interrupted' : `it took over ${FIELD_LIMIT_MS / 1000} s and was ended`,
    );
  if (exit.kind === 'not_started') return failed(`${run.program} could not be started: ${exit.message}`);
  if (exit.kind === 'exited' && exit.code === 0) return fieldValue(output.text);
  const how = exit.kind === 'exited' ? `exit code ${exit.code}` : `killed by ${exit.signal}`;
  return failed(cut([how, errors.join('; ')].filter((part) => part !== '').join(': '), ERROR_LENGTH));
}

function failed(error: string): { value: null; error: string } {
  return { value: null, error };
}

/** What a task printed, until it is surely more than a value can have. */
class Capture {
  text = '';

  get isFull(): boolean {
    return this.text.trim().length > METADATA_VALUE_LIMIT;
  }

  add(line: string): void {
    if (this.text.length > 16 * METADATA_VALUE_LIMIT) this.text = this.text.trim();
    if (!this.isFull) this.text += `${line}\n`;
  }
}
