import type { Landing } from './landing.ts';

type Asked = Pick<Landing, 'options' | 'follow_up'>;

/** Whether two requests to land one agent ask for the same, independent of the caller. */
export function isSameLanding(one: Asked, other: Asked): boolean {
  return textOf(one) === textOf(other);
}

function textOf({ options, follow_up }: Asked): string {
  const { head, into, strategy, message, uncommitted, skip_checks } = options;
  const { assign_to_agent = false, delete_after = false } = follow_up ?? {};
  const how = [head, into, strategy, message, uncommitted, skip_checks];
  return JSON.stringify([...how, assign_to_agent, delete_after]);
}
