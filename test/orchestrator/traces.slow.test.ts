import { once } from 'node:events';
import { createServer } from 'node:http';
import { afterAll, describe, expect, it } from 'vitest';
import { serveFleet } from '../support/fleets/fleet-process.ts';
import { askableClient } from './relay-clients.ts';
import { fleetWith, upstream } from './upstream-place.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly attributes: { readonly key: string; readonly value: { readonly stringValue: string } }[];
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
}

const spans: Span[] = [];
const collector = createServer((request, response) => {
  let body = '';
  request.on('data', (chunk: Buffer) => (body += chunk.toString('utf8')));
  request.on('end', () => {
    const told = JSON.parse(body) as { resourceSpans: { scopeSpans: { spans: Span[] }[] }[] };
    if (request.url === '/v1/traces' && request.headers['x-key'] === 'of mine')
      spans.push(...told.resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap((each) => each.spans)));
    response.end('{}');
  });
});
afterAll(() => void collector.close());

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('the trace of a call', () => {
  it('goes on through the fleet: the collector gets its span, the server its place in it', async () => {
    collector.listen(0, '127.0.0.1');
    await once(collector, 'listening');
    const address = collector.address();
    const port = typeof address === 'object' ? address?.port : undefined;
    await using fleet = fleetWith({ lab: upstream('plain') });
    await using served = await serveFleet({
      ...fleet.env,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-key=of%20mine',
    });
    await using client = await askableClient('auto', served);
    const called = await client.client.callTool({
      name: 'lab__meta',
      arguments: {},
      _meta: { traceparent: `00-${TRACE}-${PARENT}-01`, tracestate: 'a=b', baggage: 'c=d' },
    });
    const [content] = called.content as { text: string }[];
    const { _meta: meta } = JSON.parse(content?.text ?? '') as { _meta: Record<string, string> };
    await client.call('lab__fail');
    while (spans.length < 2) await new Promise((resolve) => setTimeout(resolve, 20));
    const [first, second] = spans;
    expect(first).toMatchObject({ traceId: TRACE, parentSpanId: PARENT, name: 'tools/call lab__meta' });
    expect(meta).toMatchObject({
      traceparent: `00-${TRACE}-${first?.spanId}-01`,
      tracestate: 'a=b',
      baggage: 'c=d',
    });
    expect(BigInt(first?.endTimeUnixNano ?? 0)).toBeGreaterThan(BigInt(first?.startTimeUnixNano ?? 0));
    expect(second?.parentSpanId).toBeUndefined();
    expect(second?.attributes).toContainEqual({ key: 'error.type', value: { stringValue: 'tool_error' } });
  });
});
