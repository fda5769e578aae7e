import { randomFrom } from '../support/random-from.ts';

const SIZE = { vocabulary: 300, width: 64, heads: 4, layers: 2, inner: 128, context: 16_384 } as const;
const ALIGNMENT = 32;
const TYPES = { u32: 4, i32: 5, f32: 6, text: 8, list: 9 } as const;

/** A llama model of 121,000 random weights in the GGUF format: enough for a real Ollama to load, stream, stop and reach
 *  the end of its context. It says nothing sensible. */
export function tinyModel(): Buffer {
  const tensors = tensorsOf();
  const keys = keysOf();
  const head = [Buffer.from('GGUF'), u32(3), u64(tensors.length), u64(keys.length), ...keys];
  let offset = 0;
  const infos = tensors.map(({ name, shape, data }) => {
    const info = Buffer.concat([text(name), u32(shape.length), ...shape.map(u64), u32(0), u64(offset)]);
    offset += padded(data.length);
    return info;
  });
  const start = Buffer.concat([...head, ...infos]);
  return Buffer.concat([
    start,
    padding(start.length),
    ...tensors.flatMap(({ data }) => [data, padding(data.length)]),
  ]);
}

interface Tensor {
  readonly name: string;
  /** The fastest dimension first. */
  readonly shape: readonly number[];
  readonly data: Buffer;
}

function tensorsOf(): readonly Tensor[] {
  const { vocabulary, width, layers, inner } = SIZE;
  const random = randomFrom(7);
  const weights = (name: string, ...shape: readonly number[]): Tensor => ({
    name,
    shape,
    data: floats(
      shape.reduce((size, each) => size * each, 1),
      () => (random() - 0.5) * 0.17,
    ),
  });
  const ones = (name: string): Tensor => ({ name, shape: [width], data: floats(width, () => 1) });
  return [
    weights('token_embd.weight', width, vocabulary),
    ones('output_norm.weight'),
    weights('output.weight', width, vocabulary),
    ...Array.from({ length: layers }, (_, layer) => `blk.${layer}.`).flatMap((block) => [
      ones(`${block}attn_norm.weight`),
      ones(`${block}ffn_norm.weight`),
      ...['attn_q', 'attn_k', 'attn_v', 'attn_output'].map((name) =>
        weights(`${block}${name}.weight`, width, width),
      ),
      weights(`${block}ffn_gate.weight`, width, inner),
      weights(`${block}ffn_up.weight`, width, inner),
      weights(`${block}ffn_down.weight`, inner, width),
    ]),
  ];
}

function keysOf(): readonly Buffer[] {
  const { vocabulary, width, heads, layers, inner, context } = SIZE;
  const tokens = tokensOf();
  const number = (key: string, value: number): Buffer => entry(key, TYPES.u32, u32(value));
  return [
    entry('general.architecture', TYPES.text, text('llama')),
    entry('general.name', TYPES.text, text('tiny')),
    number('llama.context_length', context),
    number('llama.embedding_length', width),
    number('llama.block_count', layers),
    number('llama.feed_forward_length', inner),
    number('llama.attention.head_count', heads),
    number('llama.attention.head_count_kv', heads),
    entry('llama.attention.layer_norm_rms_epsilon', TYPES.f32, f32(1e-5)),
    number('llama.rope.dimension_count', width / heads),
    number('llama.vocab_size', vocabulary),
    entry('tokenizer.ggml.model', TYPES.text, text('llama')),
    list(
      'tokenizer.ggml.tokens',
      TYPES.text,
      tokens.map(({ token }) => text(token)),
    ),
    list(
      'tokenizer.ggml.scores',
      TYPES.f32,
      tokens.map(() => f32(0)),
    ),
    list(
      'tokenizer.ggml.token_type',
      TYPES.i32,
      tokens.map(({ type }) => u32(type)),
    ),
    number('tokenizer.ggml.bos_token_id', 1),
    number('tokenizer.ggml.eos_token_id', 2),
    number('tokenizer.ggml.unknown_token_id', 0),
  ];
}

/** Three of the tokenizer's own, every byte, the letters, and as many more as the vocabulary has room for. */
function tokensOf(): readonly { readonly token: string; readonly type: number }[] {
  const hex = (byte: number): string => byte.toString(16).toUpperCase().padStart(2, '0');
  const own = [
    { token: '<unk>', type: 2 },
    { token: '<s>', type: 3 },
    { token: '</s>', type: 3 },
  ];
  const bytes = Array.from({ length: 256 }, (_, byte) => ({ token: `<0x${hex(byte)}>`, type: 6 }));
  const letters = ['\u2581', ...'abcdefghijklmnopqrstuvwxyz'.split('')].map((token) => ({ token, type: 1 }));
  const known = [...own, ...bytes, ...letters];
  const more = Array.from({ length: SIZE.vocabulary - known.length }, (_, at) => ({
    token: `w${known.length + at}`,
    type: 1,
  }));
  return [...known, ...more];
}

function entry(key: string, type: number, value: Buffer): Buffer {
  return Buffer.concat([text(key), u32(type), value]);
}

function list(key: string, type: number, values: readonly Buffer[]): Buffer {
  return entry(key, TYPES.list, Buffer.concat([u32(type), u64(values.length), ...values]));
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([u64(bytes.length), bytes]);
}

function u32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32LE(value);
  return bytes;
}

function u64(value: number): Buffer {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64LE(BigInt(value));
  return bytes;
}

function f32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeFloatLE(value);
  return bytes;
}

function floats(count: number, next: () => number): Buffer {
  const bytes = Buffer.alloc(count * 4);
  for (let at = 0; at < count; at++) bytes.writeFloatLE(next(), at * 4);
  return bytes;
}

function padded(length: number): number {
  return Math.ceil(length / ALIGNMENT) * ALIGNMENT;
}

function padding(length: number): Buffer {
  return Buffer.alloc(padded(length) - length);
}
