import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import type { Answer } from '../../../../src/operations/table.ts';
import { useQuery } from '../../api/use-query.ts';
import { Loaded } from '../../parts/states.tsx';
import { Ago, inWords } from '../../parts/time.tsx';
import { visible } from '../../parts/visible.ts';

type ToolAgent = Answer<'list_tool_agents'>['tool_agents'][number];

const LOOK_MS = 5_000;

/** Servers and tools of the orchestrator. */
export function ToolsView(): JSX.Element {
  const tools = useQuery('list_tool_agents', {}, { everyMs: LOOK_MS });
  const [text, setText] = useState('');
  return (
    <>
      <h1>Tools</h1>
      <Loaded query={tools} what="the tools">
        {({ tool_agents }) => (
          <>
            <div class="filters" role="search">
              <input
                type="search"
                aria-label="Search tools"
                placeholder="Search tools"
                value={text}
                onInput={(event) => setText(event.currentTarget.value)}
              />
            </div>
            {tool_agents.map((each) => (
              <ToolAgentCard key={each.id} toolAgent={each} text={text.toLowerCase()} />
            ))}
          </>
        )}
      </Loaded>
    </>
  );
}

function ToolAgentCard({ toolAgent, text }: { toolAgent: ToolAgent; text: string }): JSX.Element | null {
  const { name, kind, state, manifest, health, latency_ms, calls, errors, left_out_tools } = toolAgent;
  const found = manifest.tools.filter((tool) =>
    `${tool.name} ${tool.description}`.toLowerCase().includes(text),
  );
  if (text !== '' && found.length === 0) return null;
  const tone = health.status === 'healthy' ? 'passing' : health.status === 'unhealthy' ? 'failing' : '';
  return (
    <article class="card">
      <header>
        <h2>
          <bdi>{name}</bdi> <span class={`tag ${tone}`}>{health.status}</span>
        </h2>
        <p class="quiet">
          {kind === 'mcp' ? 'MCP server' : 'registry'}, {state}, {manifest.tools.length} tools, {calls} calls
          {errors > 0 ? `, ${errors} failed` : ''}
          {latency_ms === null ? '' : `, ${inWords(latency_ms)}`}
          {manifest.requires_approval ? ', some need an approval' : ''}, checked{' '}
          <Ago at={health.last_checked} />
        </p>
      </header>
      {health.message === null ? null : (
        <p class={health.status === 'unhealthy' ? 'error' : 'quiet'}>
          <bdi>{visible(health.message)}</bdi>
        </p>
      )}
      {left_out_tools.map((tool) => (
        <p key={tool.name} class="notice">
          Left out: <bdi>{visible(tool.name)}</bdi>, <bdi>{visible(tool.reason)}</bdi>
        </p>
      ))}
      <details open={text !== ''}>
        <summary>
          {found.length} {found.length === 1 ? 'tool' : 'tools'}
        </summary>
        <dl class="tools">
          {found.map((tool) => (
            <div key={tool.name}>
              <dt>
                <code>
                  <bdi>{visible(tool.name)}</bdi>
                </code>
              </dt>
              <dd>
                <bdi>{visible(tool.description)}</bdi>
                <details>
                  <summary>Parameters</summary>
                  <pre tabIndex={0}>
                    <bdi>{visible(JSON.stringify(tool.parameters, null, 2))}</bdi>
                  </pre>
                </details>
              </dd>
            </div>
          ))}
        </dl>
      </details>
    </article>
  );
}
