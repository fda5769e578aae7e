/** What a conversation with the session shows. */
export type ChatPart =
  | { readonly kind: 'user' | 'answer' | 'thinking' | 'notice'; readonly text: string }
  | {
      readonly kind: 'call';
      readonly id: string;
      readonly tool: string;
      readonly arguments: unknown;
      readonly progress: string;
      readonly result:
        | { readonly failed: boolean; readonly took_ms: number; readonly text: string }
        | undefined;
    }
  | {
      readonly kind: 'approval';
      readonly id: string;
      readonly tool: string;
      readonly arguments: unknown;
      readonly effect: string;
    };

type Fields = Readonly<Record<string, unknown>>;

/** The parts after an event of the stream. */
export function withEvent(parts: readonly ChatPart[], event: string, data: Fields): readonly ChatPart[] {
  const text = String(data['text'] ?? '');
  switch (event) {
    case 'text':
      return appended(parts, 'answer', text);
    case 'thinking':
      return appended(parts, 'thinking', text);
    case 'notice':
      return [...parts, { kind: 'notice', text }];
    case 'call':
      return [
        ...parts,
        {
          kind: 'call',
          id: String(data['id']),
          tool: String(data['tool']),
          arguments: data['arguments'],
          progress: '',
          result: undefined,
        },
      ];
    case 'progress':
      return changedCall(parts, data, { progress: String(data['message'] ?? '') });
    case 'result':
      return changedCall(parts, data, {
        result: { failed: data['failed'] === true, took_ms: Number(data['took_ms']), text },
      });
    case 'approval':
    case 'question':
      return [
        ...parts,
        {
          kind: 'approval',
          id: String(data['id']),
          tool: String(data['tool'] ?? data['message'] ?? ''),
          arguments: data['arguments'],
          effect: String(data['effect'] ?? ''),
        },
      ];
    default:
      return parts;
  }
}

function appended(
  parts: readonly ChatPart[],
  kind: 'answer' | 'thinking',
  text: string,
): readonly ChatPart[] {
  const last = parts.at(-1);
  return last?.kind === kind
    ? [...parts.slice(0, -1), { kind, text: last.text + text }]
    : [...parts, { kind, text }];
}

function changedCall(
  parts: readonly ChatPart[],
  { id }: Fields,
  change: Partial<Extract<ChatPart, { kind: 'call' }>>,
): readonly ChatPart[] {
  return parts.map((part) => (part.kind === 'call' && part.id === id ? { ...part, ...change } : part));
}
