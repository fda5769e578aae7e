import type { ComponentChildren, JSX } from 'preact';

/** A link that an agent or a forge gave: only http and https, and nothing of this page goes along. */
export function SafeLink({ url, children }: { url: string; children: ComponentChildren }): JSX.Element {
  const parsed = URL.parse(url);
  if (parsed === null || !/^https?:$/.test(parsed.protocol)) return <bdi>{children}</bdi>;
  return (
    <a href={parsed.href} target="_blank" rel="noopener noreferrer nofollow">
      <bdi>{children}</bdi>
    </a>
  );
}
