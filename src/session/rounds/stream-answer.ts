import type { Model, ModelCall, ModelRequest, Usage } from '../model/model.ts';
import type { RoundEvent } from './round-event.ts';

export interface StreamedAnswer {
  readonly text: string;
  readonly calls: readonly ModelCall[];
  /** True: the answer was cut off at the limit of tokens. */
  readonly cut: boolean;
  readonly usage: Usage;
}

/** One answer of the model, told as it comes. `onPartial` gets the text so far, for an answer that is stopped. */
export async function streamAnswer(
  { model, request, emit }: StreamParts,
  onPartial: (text: string) => void,
  signal: AbortSignal,
): Promise<StreamedAnswer> {
  let text = '';
  const calls: ModelCall[] = [];
  for await (const event of model.answer(request, signal)) {
    switch (event.type) {
      case 'text':
        text += event.text;
        onPartial(text);
        emit(event);
        break;
      case 'thinking':
        emit(event);
        break;
      case 'call':
        calls.push(event.call);
        break;
      case 'end':
        return { text, calls, cut: event.reason === 'length', usage: event.usage };
    }
  }
  throw new Error('a model ended its answer without an end');
}

export interface StreamParts {
  readonly model: Pick<Model, 'answer'>;
  readonly request: ModelRequest;
  readonly emit: (event: RoundEvent) => void;
}
