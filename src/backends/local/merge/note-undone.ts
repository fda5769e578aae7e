import type { LandUndone } from '../../../domain/merge/landing.ts';
import type { LandingIntent, LandingStore, StoredLanding } from '../../../store/landing-store.ts';

/** Stores that a landing was taken back by a move of its branch. */
export function noteUndone(
  landings: LandingStore,
  landing: StoredLanding,
  { from, to }: Pick<LandingIntent, 'from' | 'to'>,
): LandUndone {
  const { land_id, agent_name } = landing;
  const into = landing.into ?? '';
  const how = to === landing.before ? 'reset' : 'revert';
  const what = how === 'reset' ? `${into} is where it was before` : `a commit on ${into} reverts it`;
  const message = `The landing of agent '${agent_name}' was undone: ${what}.`;
  const undone = { land_id, into, before: from, after: to, how, message } as const;
  landings.change(land_id, { state: 'undone', process: null, intent: null, message, undone });
  return undone;
}
