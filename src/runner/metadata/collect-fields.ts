import { FieldBudget, type FieldResult } from '../../domain/metadata/field-budget.ts';
import { fieldRefusal } from '../../domain/field-refusal.ts';
import { METADATA_KEY_LIMIT } from '../../domain/metadata/metadata.ts';
import type { MetadataField } from '../../domain/metadata/taskfile-metadata.ts';
import { findProgram } from '../../platform/processes/find-program.ts';
import type { FoundTaskfile } from './find-fields.ts';
import type { MetadataPlace } from '../programs/metadata-place.ts';
import type { FoundField } from './read-taskfile.ts';
import { runField } from './run-field.ts';
import { TASK_PROGRAMS } from './task-programs.ts';

export interface NamedField {
  readonly name: string;
  readonly found: FoundField;
}

const AT_ONCE = 16;

/** Runs all fields side by side; one that fails has an error of its own and does not affect the others. `done` is called for each. */
export async function collectFields(
  place: MetadataPlace,
  taskfile: FoundTaskfile,
  { signal, done }: { readonly signal: AbortSignal; done(name: string, field: MetadataField): void },
): Promise<void> {
  const program = TASK_PROGRAMS.flatMap((name) => findProgram(name, place.env['PATH']) ?? [])[0];
  const next = nameFields(taskfile.fields).entries();
  const budget = new FieldBudget();
  const work = async (): Promise<void> => {
    for (const [index, field] of next) {
      const run = { file: taskfile.file, task: field.found.task, part: String(index) };
      const result = await resultOf(place, { ...run, program }, signal);
      if (signal.aborted) return;
      done(field.name, describedField(field, budget.take(field.name, result)));
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
}

async function resultOf(
  place: MetadataPlace,
  {
    program,
    ...run
  }: {
    readonly program: string | undefined;
    readonly file: string;
    readonly task: string;
    readonly part: string;
  },
  signal: AbortSignal,
): Promise<FieldResult> {
  const refusal = fieldRefusal(place.launch);
  if (refusal !== undefined) return failed(`not run: ${refusal}`);
  if (program === undefined)
    return failed(
      'the program task (go-task) is not on the PATH of the agent; fleet doctor says how to get it',
    );
  return await runField(place, { ...run, program }, signal);
}

/** The names of the fields: those of their tasks, as far as a name can go, each one different. */
export function nameFields(fields: readonly FoundField[]): readonly NamedField[] {
  const taken = new Set<string>();
  return fields.map((found) => {
    const short = found.task.slice(0, METADATA_KEY_LIMIT);
    const name = taken.has(short) ? `${short.slice(0, METADATA_KEY_LIMIT - 8)}~${taken.size}` : short;
    taken.add(name);
    return { name, found };
  });
}

/** All that is wrong with a field is said, what is wrong with its description too. */
export function describedField({ name, found }: NamedField, { value, error }: FieldResult): MetadataField {
  const long =
    name === found.task ? null : `its name has more than ${METADATA_KEY_LIMIT} characters: cut off`;
  const errors = [error, found.error, long].filter((each) => each !== null);
  return {
    value,
    error: errors.length === 0 ? null : errors.join('; '),
    schema: { description: found.description, include_in_list: found.include_in_list },
  };
}

function failed(error: string): FieldResult {
  return { value: null, error };
}
