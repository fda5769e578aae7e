import { randomBytes } from 'node:crypto';
import { packageVersion } from '../../platform/package.ts';
import { metaOf, type JsonObject } from '../../wire/json-rpc.ts';

const LATER_MS = 1_000;
/** What a collector that does not answer costs at most. */
const MOST_WAITING = 2_000;
const SEND_MS = 5_000;
const PARENT = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;

export interface ToolSpan {
  /** The parameters of the call, as a part of the trace. */
  readonly params: JsonObject;
  end(error: string | undefined): void;
}

/** Tells a collector of OpenTelemetry of every call; undefined where the environment names none. A trace that a client began
 *  goes on, and the server behind is given its place in it. */
export function toolTraces(env: NodeJS.ProcessEnv): ToolTraces | undefined {
  const whole = env['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT'];
  const base = env['OTEL_EXPORTER_OTLP_ENDPOINT'];
  const endpoint = whole || (base ? `${base.replace(/\/$/, '')}/v1/traces` : undefined);
  if (endpoint === undefined || !URL.canParse(endpoint)) return undefined;
  return new ToolTraces(endpoint, {
    service: env['OTEL_SERVICE_NAME'] || 'fleet',
    headers: headersIn(env['OTEL_EXPORTER_OTLP_TRACES_HEADERS'] ?? env['OTEL_EXPORTER_OTLP_HEADERS'] ?? ''),
  });
}

export class ToolTraces implements Disposable {
  readonly #endpoint: string;
  readonly #service: string;
  readonly #headers: Readonly<Record<string, string>>;
  #waiting: JsonObject[] = [];
  #timer: NodeJS.Timeout | undefined;

  constructor(
    endpoint: string,
    { service, headers }: { readonly service: string; readonly headers: Readonly<Record<string, string>> },
  ) {
    this.#endpoint = endpoint;
    this.#service = service;
    this.#headers = headers;
  }

  begin(params: JsonObject, { server, tool }: { readonly server: string; readonly tool: string }): ToolSpan {
    const meta = metaOf(params);
    const [, known, parent, flags = '01'] = PARENT.exec(String(meta['traceparent'])) ?? [];
    const traceId = known ?? randomBytes(16).toString('hex');
    const spanId = randomBytes(8).toString('hex');
    const began = Date.now();
    const started = performance.now();
    return {
      params: { ...params, _meta: { ...meta, traceparent: `00-${traceId}-${spanId}-${flags}` } },
      end: (error) => {
        const nanoseconds = BigInt(Math.round((performance.now() - started) * 1e6));
        const from = BigInt(began) * 1_000_000n;
        this.#add({
          traceId,
          spanId,
          ...(parent === undefined ? {} : { parentSpanId: parent }),
          name: `tools/call ${tool}`,
          kind: 3,
          startTimeUnixNano: String(from),
          endTimeUnixNano: String(from + nanoseconds),
          attributes: attributes({
            'mcp.method.name': 'tools/call',
            'gen_ai.tool.name': tool,
            'fleet.server': server,
            ...(error === undefined ? {} : { 'error.type': error }),
          }),
          status: error === undefined ? {} : { code: 2 },
        });
      },
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#send();
  }

  #add(span: JsonObject): void {
    if (this.#waiting.length >= MOST_WAITING) return;
    this.#waiting.push(span);
    this.#timer ??= setTimeout(() => this.#send(), LATER_MS).unref();
  }

  /** A collector that is not there costs its spans, and nothing else. */
  #send(): void {
    this.#timer = undefined;
    const spans = this.#waiting;
    this.#waiting = [];
    if (spans.length === 0) return;
    const scope = { name: 'fleet-mcp', version: packageVersion() };
    const resource = { attributes: attributes({ 'service.name': this.#service }) };
    void fetch(this.#endpoint, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json', ...this.#headers },
      body: JSON.stringify({ resourceSpans: [{ resource, scopeSpans: [{ scope, spans }] }] }),
      signal: AbortSignal.timeout(SEND_MS),
    }).catch(() => {});
  }
}

function attributes(values: Readonly<Record<string, string>>): readonly JsonObject[] {
  return Object.entries(values).map(([key, stringValue]) => ({ key, value: { stringValue } }));
}

/** `name=value` pairs with commas between them, as OpenTelemetry writes them. */
function headersIn(text: string): Record<string, string> {
  const pairs = text.split(',').flatMap((pair) => {
    const at = pair.indexOf('=');
    return at === -1 ? [] : [[pair.slice(0, at).trim(), decodeURIComponent(pair.slice(at + 1).trim())]];
  });
  return Object.fromEntries(pairs) as Record<string, string>;
}
