import type { PointResult } from './cuts/run-points.ts';

export interface CrashRow {
  readonly operation: string;
  readonly role: string;
  /** Moments that there are. */
  readonly points: number;
  /** Moments at which the process was stopped: some come only now and then. */
  readonly stopped: number;
  readonly held: number;
}

/** One row an operation and kind of process. */
export function crashTable(results: readonly PointResult[]): CrashRow[] {
  const groups = Map.groupBy(results, ({ point }) => `${point.scenario.name}\n${point.role}`);
  return [...groups.values()].map((group) => ({
    operation: group[0]?.point.scenario.name ?? '',
    role: group[0]?.point.role ?? '',
    points: group.length,
    stopped: group.filter(({ cutAt }) => cutAt !== undefined).length,
    held: group.filter(({ problems }) => problems.length === 0).length,
  }));
}

export function tableText(rows: readonly CrashRow[]): string {
  const lines = rows.map(
    ({ operation, role, points, stopped, held }) =>
      `| ${operation} | ${roleName(role)} | ${points} | ${stopped} | ${held === points ? 'all' : `${held} of ${points}`} |`,
  );
  return [
    '| operation | stopped process | moments | stopped there | held |',
    '|---|---|---:|---:|---|',
    ...lines,
  ].join('\n');
}

function roleName(role: string): string {
  const [base = '', number] = role.split('-');
  const names: Readonly<Record<string, string>> = { cli: 'command', inside: "the agent's own command" };
  const name = names[base] ?? base;
  return number === '1' ? name : `${name} ${number}`;
}
