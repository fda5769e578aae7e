import type { Server } from '@modelcontextprotocol/server';
import type { Caller } from '../../domain/principal.ts';
import { afterClose } from '../relay/after-close.ts';
import type { ToolService } from '../../orchestrator/calls/tool-service.ts';
import { UpstreamFollowing } from './upstream-following.ts';

/** Tells the client of a connection that lasts what changes, and what servers log. */
export function announceOffers(server: Server, service: ToolService, caller: Caller): void {
  const quietly = (sent: Promise<void>): void => void sent.catch(() => {});
  const stop = service.orchestrator.onOffersChanged((change) => {
    if (change === 'tools') quietly(server.sendToolListChanged());
    if (change === 'resources') quietly(server.sendResourceListChanged());
    if (change === 'prompts') quietly(server.sendPromptListChanged());
  });
  afterClose(server, stop);
  addLogging(server, new UpstreamFollowing(service, caller), quietly);
}

/** Of the old era: the new one asks for it in each request. */
function addLogging(
  server: Server,
  following: UpstreamFollowing,
  quietly: (sent: Promise<void>) => void,
): void {
  let level = 'info';
  server.setRequestHandler('logging/setLevel', ({ params }) => {
    level = params.level;
    following.setLevel(level);
    return {};
  });
  const stop = following.onLog(
    () => level,
    (params) => quietly(server.notification({ method: 'notifications/message', params })),
  );
  afterClose(server, stop);
}
