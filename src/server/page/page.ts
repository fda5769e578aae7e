import { randomBytes } from 'node:crypto';
import { PAGE_SCRIPT } from './page-script.ts';
import { PAGE_STYLE } from './page-style.ts';

/** The live list of agents. Holds no data: it fetches what it shows. */
export function agentsPage(): Response {
  return html({
    title: 'Fleet',
    body: `<main>
<header>
<h1>Fleet</h1>
<p id="summary" role="status">Loading…</p>
<p id="connection" role="alert" hidden></p>
</header>
<div class="scroll" id="agents" hidden>
<table>
<caption>Agents; those that need a human come first</caption>
<thead><tr>
<th scope="col">Agent</th><th scope="col">Status</th><th scope="col">Task</th>
<th scope="col">Changes</th><th scope="col">Project, role</th><th scope="col">Since</th><th scope="col">Attention</th>
</tr></thead>
<tbody id="rows"></tbody>
</table>
</div>
<section id="empty" hidden>
<h2>No agents yet</h2>
<p>Create one in a terminal:</p>
<pre><code>fleet projects
fleet create PROJECT What it should do</code></pre>
<p>It appears here at once.</p>
</section>
<section id="confirm" hidden>
<h2>Sign in</h2>
<p>This link signs this browser in for 30 days. It works once.</p>
<p><button id="confirm-button" type="button">Sign in</button></p>
</section>
<section id="sign-in" hidden>
<h2>Sign in</h2>
<p id="sign-in-problem">This page needs a sign-in link.</p>
<p>For a link, run <code>fleet open</code> on the machine where <code>fleet serve</code> runs. It is a one-time link, valid for ten minutes. This browser then stays signed in for 30 days.</p>
</section>
<noscript><p>This page needs JavaScript. In a terminal, <code>fleet list</code> shows the same.</p></noscript>
</main>`,
    script: PAGE_SCRIPT,
  });
}

function html(parts: { title: string; body: string; script?: string }): Response {
  const nonce = randomBytes(16).toString('base64');
  const script = parts.script === undefined ? '' : `<script nonce="${nonce}">\n${parts.script}</script>`;
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<link rel="icon" href="data:,">
<title>${parts.title}</title>
<style nonce="${nonce}">${PAGE_STYLE}</style>
</head>
<body>
${parts.body}
${script}
</body>
</html>
`;
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "connect-src 'self'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ];
  return new Response(text, {
    headers: {
      'Content-Type': 'text/html; charset=utf-8',
      'Content-Security-Policy': policy.join('; '),
      'Referrer-Policy': 'no-referrer',
      'Cache-Control': 'no-store',
    },
  });
}
