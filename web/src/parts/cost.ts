const money = new Intl.NumberFormat(undefined, {
  style: 'currency',
  currency: 'USD',
  maximumFractionDigits: 4,
});
const tokens = new Intl.NumberFormat(undefined, { notation: 'compact', maximumFractionDigits: 1 });

/** Empty for an agent that does not report what it costs. */
export function costText(agent: { readonly cost: number | null; readonly tokens: number | null }): string {
  const parts = [
    agent.cost === null ? '' : money.format(agent.cost),
    agent.tokens === null ? '' : `${tokens.format(agent.tokens)} tokens`,
  ];
  return parts.filter(Boolean).join(', ');
}
