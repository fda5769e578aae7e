import { cpus, loadavg } from 'node:os';
import type { Row } from './measure.ts';

const HEADERS = ['measure', 'ours', 'against', 'ratio', 'target', ''];

/** The table for a terminal. */
export function plainTable(rows: readonly Row[]): string {
  const lines = [HEADERS, ...rows.map(cells)];
  const widths = HEADERS.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0)));
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

/** The page in docs: the same table, where it was measured, and how each figure was taken. */
export function markdown(rows: readonly Row[], at: Date, loadBefore: number): string {
  const model = cpus()[0]?.model.trim() ?? 'unknown';
  return `# Measured

\`npm run bench\` makes this page. Every figure stands beside a peer or a physical limit that was measured in the same
run, both sides in turns and their medians taken, because machines are noisy: the ratio is the claim, the times are this
machine's.

${at.toISOString().slice(0, 10)}, Node ${process.versions.node}, ${process.platform} ${process.arch}, ${cpus().length} cores (${model}); others' load on the machine: ${loadBefore.toFixed(1)} at the start, ${currentLoad().toFixed(1)}
with the bench's own at the end.

${markdownLine(HEADERS)}
${markdownLine(HEADERS.map(() => '---'))}
${rows.map((row) => markdownLine(cells(row))).join('\n')}

## How each was taken

${rows.map(({ measure, how }) => `- **${measure}**: ${how}.`).join('\n')}

*built* is the package as npm installs it, *source* the same from a checkout, where Node strips the types. *Bare* is the
same work by a few lines that do nothing else.

What a fleet of full size costs is in [scale.md](scale.md), whether it grows over time in [soak.md](soak.md), and
what stopping it at every moment does in [crash-points.md](crash-points.md).
`;
}

/** How many processes wanted to run in the last minute. */
export function currentLoad(): number {
  return loadavg()[0] ?? 0;
}

function cells({ measure, ours, peer, ratio, target, met }: Row): readonly string[] {
  return [
    measure,
    ours,
    peer,
    ratio === null ? '–' : `${ratio.toFixed(ratio < 10 ? 2 : 0)} ×`,
    target ?? '–',
    met === null ? '' : met ? 'met' : 'missed',
  ];
}

function markdownLine(line: readonly string[]): string {
  return `| ${line.join(' | ')} |`;
}
