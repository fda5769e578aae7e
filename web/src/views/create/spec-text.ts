export interface SpecParts {
  readonly objective: string;
  readonly context: string;
  readonly constraints: string;
  readonly deliverables: string;
  readonly checks: string;
}

export const emptySpec: SpecParts = {
  objective: '',
  context: '',
  constraints: '',
  deliverables: '',
  checks: '',
};

const LISTS = ['constraints', 'deliverables', 'checks'] as const;

/** The spec as create_agent takes it: plain text when there is only an objective, else JSON with its parts. */
export function specText(spec: SpecParts): string | undefined {
  const lists = LISTS.map((name) => [name, linesOf(spec[name])] as const).filter(
    ([, lines]) => lines.length > 0,
  );
  const [objective, context] = [spec.objective.trim(), spec.context.trim()];
  if (lists.length === 0 && context === '') return objective === '' ? undefined : objective;
  return JSON.stringify({
    ...(objective === '' ? {} : { objective }),
    ...(context === '' ? {} : { context }),
    ...Object.fromEntries(lists),
  });
}

/** The spec with one that was pasted as Markdown: what was written before stays above it. */
export function withPasted(spec: SpecParts, markdown: string): SpecParts {
  const pasted = specFromMarkdown(markdown);
  const joined = (name: keyof SpecParts): string =>
    [spec[name].trim(), pasted[name]].filter(Boolean).join('\n');
  return {
    objective: joined('objective'),
    context: joined('context'),
    constraints: joined('constraints'),
    deliverables: joined('deliverables'),
    checks: joined('checks'),
  };
}

/** Reads a spec that was pasted as Markdown: headings name the parts, and text before the first one is the objective. */
export function specFromMarkdown(markdown: string): SpecParts {
  const parts: Record<keyof SpecParts, string[]> = {
    objective: [],
    context: [],
    constraints: [],
    deliverables: [],
    checks: [],
  };
  let current: keyof SpecParts = 'objective';
  let fenced = false;
  for (const line of markdown.split(/\r?\n/)) {
    const isList = LISTS.some((name) => name === current);
    if (/^\s*(?:```|~~~)/.test(line)) {
      fenced = !fenced;
      if (!isList) parts[current].push(line);
      continue;
    }
    if (fenced) {
      parts[current].push(line);
      continue;
    }
    const heading = /^#+\s*(.+?)\s*#*$/.exec(line)?.[1]?.toLowerCase() ?? '';
    const named = (Object.keys(parts) as (keyof SpecParts)[]).find((name) =>
      heading.startsWith(name.replace(/s$/, '')),
    );
    if (heading !== '' && named !== undefined) current = named;
    else parts[current].push(isList ? itemOf(line, current) : line);
  }
  const text = (name: keyof SpecParts): string => parts[name].join('\n').trim();
  return {
    objective: text('objective'),
    context: text('context'),
    constraints: text('constraints'),
    deliverables: text('deliverables'),
    checks: text('checks'),
  };
}

/** An item of a list without its mark. The shell would run a command inside its backticks, and then what that prints. */
function itemOf(line: string, part: keyof SpecParts): string {
  const item = line.replace(/^\s*(?:[-*+]|\d+[.)])\s+(?:\[.\]\s+)?/, '');
  return part === 'checks' ? item.replace(/^`([^`]+)`\s*$/, '$1') : item;
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean);
}
