import type { JSX } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import { visible } from './visible.ts';

let renderer: Promise<(text: string) => string> | undefined;

/** Loaded when the first message is shown. HTML of the text is escaped, and dangerous links are dropped. */
function loadRenderer(): Promise<(text: string) => string> {
  renderer ??= Promise.all([import('micromark'), import('micromark-extension-gfm')]).then(
    ([{ micromark }, { gfm, gfmHtml }]) =>
      (text) =>
        micromark(text, { extensions: [gfm()], htmlExtensions: [gfmHtml()] }),
  );
  return renderer;
}

/** Markdown of an agent or a model. */
export function Markdown({ text }: { text: string }): JSX.Element {
  const [html, setHtml] = useState<string>();
  const element = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let current = true;
    void loadRenderer().then((render) => current && setHtml(visible(render(text))));
    return () => {
      current = false;
    };
  }, [text]);
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
