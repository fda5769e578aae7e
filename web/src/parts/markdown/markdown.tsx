import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from '../visible.ts';
import { renderMarkdown } from './render-markdown.ts';

/** Markdown of an agent or a model. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const html = useHtml(text);
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    for (const link of element.current?.querySelectorAll('a') ?? []) {
      const isOutside = /^https?:$/.test(link.protocol) && link.origin !== location.origin;
      if (!isOutside) link.replaceWith(link.textContent);
      link.rel = 'noopener noreferrer nofollow';
      link.target = '_blank';
    }
    // An image would be fetched from where an agent says.
    for (const image of element.current?.querySelectorAll('img') ?? [])
      image.replaceWith(image.alt || image.src);
  }, [html]);
  if (html === undefined) return <div class="markdown plain-text">{visible(text)}</div>;
  return <div ref={element} class="markdown" dir="auto" dangerouslySetInnerHTML={{ __html: html }} />;
}

/** A message that grows is shown as it was until its next part is rendered. */
function useHtml(text: string): string | undefined {
  const [html, setHtml] = useState<string>();
  /** What stays plain. A message that goes on from it does too. */
  const plain = useRef<string>(undefined);
  const isGone = useRef(false);
  useEffect(
    () => () => {
      isGone.current = true;
    },
    [],
  );
  useEffect(() => {
    if (plain.current !== undefined && text.startsWith(plain.current)) return;
    const ending = new AbortController();
    void (async () => {
      const rendered = await renderMarkdown(text, ending.signal);
      if (isGone.current) return;
      if (rendered !== undefined) return setHtml(visible(rendered));
      if (ending.signal.aborted) return;
      plain.current = text;
      setHtml(undefined);
    })();
    return () => ending.abort();
  }, [text]);
  return html;
}
