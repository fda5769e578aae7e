import { FleetError } from '../domain/values/errors.ts';
import { fieldOf, type KeyPath } from './key-path.ts';
import { placeOf, type Place, type YamlSource } from './read-yaml.ts';

/** One problem of the file, beginning with its key: `projects.Setup.base` + `must be text`. */
export interface ConfigProblem {
  readonly path: KeyPath;
  readonly text: string;
  /** Whether the key itself is at fault, and not its value. */
  readonly onKey?: boolean;
}

const SHOWN = 10;

/** All problems of a file as one error, in the order of the file; the details are those of the first. */
export function configError(problems: readonly ConfigProblem[], source: YamlSource): FleetError {
  const placed = problems
    .map((problem) => ({ problem, place: placeOf(source, problem.path, problem.onKey === true) }))
    .toSorted((a, b) => a.place.line - b.place.line || a.place.column - b.place.column);
  const lines = placed.slice(0, SHOWN).map(({ problem, place }) => sentence(problem, place, source.path));
  const more = placed.length > SHOWN ? [`… and ${placed.length - SHOWN} more.`] : [];
  const [first] = placed;
  return new FleetError('INVALID_INPUT', [...lines, ...more].join('\n'), {
    ...(first === undefined || first.problem.path.length === 0 ? {} : { field: fieldOf(first.problem.path) }),
    file: source.path,
    ...(first?.place ?? { line: 1, column: 1 }),
  });
}

export function configWarning(problem: ConfigProblem, source: YamlSource): string {
  return sentence(problem, placeOf(source, problem.path, problem.onKey === true), source.path);
}

function sentence({ path, text }: ConfigProblem, { line, column }: Place, file: string): string {
  const subject = path.length === 0 ? 'the configuration' : fieldOf(path);
  return `${file}:${line}:${column}: ${subject} ${text}${text.endsWith('?') ? '' : '.'}`;
}
