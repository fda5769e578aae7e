import type { Approval } from './approval.ts';

/** One file that an edit would change. */
export interface FileEdit {
  readonly path: string;
  /** Null for a new file. */
  readonly before: string | null;
  readonly after: string;
}

/** What a person is asked to allow or to answer. `rest` is the part of the input that is not shown otherwise. */
export type AskedFor =
  | { readonly kind: 'command'; readonly command: string; readonly rest: unknown }
  | { readonly kind: 'edit'; readonly edits: readonly FileEdit[]; readonly rest: unknown }
  | { readonly kind: 'question'; readonly question: string }
  | { readonly kind: 'tool'; readonly tool: string; readonly rest: unknown };

type Asking = Pick<Approval, 'id' | 'kind' | 'tool' | 'input'>;

/**
 * Reads an approval as a command, an edit or a question; an input of any other shape stays a tool with its input. Paths
 * inside the agent's own worktree are shown from there on.
 */
export function askedFor({ id, kind, tool, input }: Asking, home: string): AskedFor {
  if (kind === 'question') return { kind, question: tool };
  if (kind === 'tool_call' || !isFields(input)) return { kind: 'tool', tool, rest: input };
  const raw = isFields(input['rawInput']) ? input['rawInput'] : {};
  const edits = editsOf(input['content'], raw);
  if (edits.length > 0) {
    const shown = edits.map((edit) => ({ ...edit, path: pathInside(edit.path, id, home) }));
    return { kind: 'edit', edits: shown, rest: restOf(input, raw, shownBy(edits)) };
  }
  const command = commandOf(raw['command']);
  if (command !== undefined)
    return { kind: 'command', command, rest: restOf(input, { ...raw, command: undefined }, new Set()) };
  return { kind: 'tool', tool, rest: restOf(input, raw, new Set([tool])) };
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A line of a shell, or the words of a program; `sh -c` around a line is left out. */
function commandOf(command: unknown): string | undefined {
  if (typeof command === 'string') return command;
  if (!Array.isArray(command) || command.length === 0 || !command.every((word) => typeof word === 'string'))
    return undefined;
  const [program, flag, script, ...more] = command as readonly string[];
  if (/(?:^|\/)(?:ba|z|da)?sh$/.test(program ?? '') && /^-l?c$/.test(flag ?? '') && more.length === 0)
    return script;
  return command.map(quotedWord).join(' ');
}

function quotedWord(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}

/** As ACP sends them, else as the usual names of an edit tool's inputs. */
function editsOf(content: unknown, raw: Fields): readonly FileEdit[] {
  const sent = (Array.isArray(content) ? content : []).filter(isFields).flatMap(diffOf);
  if (sent.length > 0) return sent;
  const path = text(raw['file_path']) ?? text(raw['path']);
  const [before, after] = [text(raw['old_string']), text(raw['new_string']) ?? text(raw['content'])];
  return path === undefined || after === undefined ? [] : [{ path, before: before ?? null, after }];
}

function diffOf({ type, path, oldText, newText }: Fields): readonly FileEdit[] {
  if (type !== 'diff' || typeof path !== 'string' || typeof newText !== 'string') return [];
  return [{ path, before: text(oldText) ?? null, after: newText }];
}

/** The id of an approval begins like that of the agent's workspace, which names its directory. */
function pathInside(path: string, id: string, home: string): string {
  const agents = `${home}/agents/`;
  const [workspace = '', work, ...rest] = path.slice(agents.length).split('/');
  const isOwn = path.startsWith(agents) && workspace.startsWith(id.slice(0, 9)) && work === 'work';
  const isInside = isOwn && !rest.includes('..');
  return isInside && rest.length > 0 ? rest.join('/') : path;
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function shownBy(edits: readonly FileEdit[]): ReadonlySet<unknown> {
  return new Set(edits.flatMap(({ path, before, after }) => [path, before, after]));
}

/** What the agent sent beside what is shown already. Nothing is hidden because its name is not known. */
function restOf({ content, locations }: Fields, raw: Fields, shown: ReadonlySet<unknown>): Fields {
  const fields = Object.entries(raw).filter(([, value]) => value !== undefined && !shown.has(value));
  const seen = new Set([...shown, ...fields.map(([, value]) => value)]);
  const notes = (Array.isArray(content) ? content : []).filter(isFields).flatMap(noteOf);
  const places = (Array.isArray(locations) ? locations : []).filter(isFields).map(({ path }) => path);
  const [unseenNotes, unseenPlaces] = [notes, places].map((all) => all.filter((one) => !seen.has(one)));
  return {
    ...Object.fromEntries(fields),
    ...(unseenNotes?.length ? { note: unseenNotes.join('\n') } : {}),
    ...(unseenPlaces?.length ? { files: unseenPlaces } : {}),
  };
}

function noteOf({ type, content }: Fields): readonly unknown[] {
  if (type === 'diff') return [];
  return isFields(content) && typeof content['text'] === 'string' ? [content['text']] : [];
}
