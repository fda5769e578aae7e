import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'OP-show_agent_conversation',
    source: 'contract For the page',
    text: 'show_agent_conversation has messages, tool calls with input, output and diffs, plans and results of an agent, in order.',
  },
  {
    id: 'OP-conversation-command',
    source: 'contract For the page',
    text: 'The conversation of a command agent has its tasks, the lines that it printed, its reports and its results, in order.',
  },
  {
    id: 'OP-conversation-cursor',
    source: 'contract For the page',
    text: 'A conversation is paged by cursor both ways, each entry once; after the newest cursor there is only what is new.',
  },
  {
    id: 'EV-log',
    source: 'contract For the page',
    text: 'An event stream that was opened for an agent is told when the conversation of this agent has more, and of no other.',
  },
  {
    id: 'PAGE-open',
    source: 'contract For the page',
    text: 'fleet open makes a new one-time sign-in link from the running fleet serve at any time, also for public_url; looking at a link does not use it up.',
  },
  {
    id: 'OP-browser-sessions',
    source: 'contract For the page',
    text: 'list_browser_sessions lists the browsers that are signed in and which of them asks; end_browser_session signs one out, also from its event stream.',
  },
  {
    id: 'OP-tokens',
    source: 'contract For the page',
    text: 'list_tokens lists the created tokens with their scopes and without their secrets; revoke_token ends one from the next request on.',
  },
  {
    id: 'PAGE-restart',
    source: 'contract For the page',
    text: 'Browsers stay signed in, and links stay good, over a restart of fleet serve.',
  },
  {
    id: 'INTERFACE-public-url',
    source: 'contract For the page',
    text: 'The address public_url of fleet.yaml is accepted as Host and as Origin, and no other address because of it.',
  },
  {
    id: 'OP-show_agent_timeline',
    source: 'contract For the page',
    text: 'show_agent_timeline has the facts of an agent with the status that each led to, and with at only the facts and the status of that moment.',
  },
  {
    id: 'OP-show_doctor',
    source: 'contract For the page',
    text: 'show_doctor gives the findings of fleet doctor with what to do about each, at every interface.',
  },
];
