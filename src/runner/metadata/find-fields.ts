import { programFile } from '../../platform/package.ts';
import { runProgram } from '../programs/run-program.ts';
import { body, object, type Fields } from '../api/shapes.ts';
import { fileLook } from './file-look.ts';
import { metadataProgram, type MetadataPlace } from '../programs/metadata-place.ts';
import type { FoundField, ReadTaskfile } from './read-taskfile.ts';
import { taskfileOf } from './taskfile-of.ts';
import { TimeLimit } from './time-limit.ts';

export interface FoundTaskfile extends ReadTaskfile {
  readonly file: string;
  /** Why it cannot be loaded. */
  readonly problem: string | null;
}

const ANSWER_LIMIT = 2_097_152;
const READ_LIMIT_MS = 10_000;

/** The Taskfile of a workspace and its fields; undefined when there is none. Files that look as they did when they were
 *  read last are not read again. */
export async function findFields(
  place: MetadataPlace,
  known: FoundTaskfile | undefined,
  signal: AbortSignal,
): Promise<FoundTaskfile | undefined> {
  const file = taskfileOf(place.directory);
  if (file === undefined) return undefined;
  if (known?.file === file && isAsSeen(known)) return known;
  try {
    return { file, problem: null, ...(await read(place, file, signal)) };
  } catch (thrown) {
    return { file, problem: thrown instanceof Error ? thrown.message : String(thrown), fields: [], seen: {} };
  }
}

function isAsSeen({ problem, seen }: FoundTaskfile): boolean {
  return problem === null && Object.entries(seen).every(([path, look]) => fileLook(path) === look);
}

async function read(place: MetadataPlace, file: string, signal: AbortSignal): Promise<ReadTaskfile> {
  const output: string[] = [];
  const errors: string[] = [];
  let size = 0;
  using limit = new TimeLimit(READ_LIMIT_MS, signal);
  const exit = await runProgram(
    {
      ...metadataProgram(place, 'read'),
      command: [process.execPath, programFile('runner/metadata/read-taskfile-main'), file],
      onOutput: (line) => {
        size += line.length;
        if (size < ANSWER_LIMIT) output.push(line);
      },
      onError: (line) => errors.push(line),
    },
    limit.signal,
  );
  if (limit.signal.aborted)
    throw new Error(
      `reading it and what it includes took over ${READ_LIMIT_MS / 1000} s and was ended: make it simpler`,
    );
  if (exit.kind === 'exited' && exit.code === 0) return answerOf(body(output.join('')));
  const said = errors.find((line) => /^\w*Error\b.*: /.test(line));
  throw new Error(said?.replace(/^\w*Error\b.*?: /, '') ?? 'it could not be read');
}

/** It comes out of a process that the agent could have meddled with. */
function answerOf({ fields, seen }: Fields): ReadTaskfile {
  if (!Array.isArray(fields)) throw new Error('it could not be read');
  return {
    fields: fields.map((each): FoundField => {
      const field = object(each, 'field');
      return {
        task: String(field['task']),
        description: String(field['description']),
        include_in_list: field['include_in_list'] === true,
        error: field['error'] === null ? null : String(field['error']),
      };
    }),
    seen: Object.fromEntries(
      Object.entries(object(seen, 'seen')).map(([path, look]) => [path, String(look)]),
    ),
  };
}
