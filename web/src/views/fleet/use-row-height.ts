import { useEffect, useState } from 'preact/hooks';

const NARROW = matchMedia('(max-width: 760px)');

/** Rows are one line where there is room, and three on a phone. */
export function useRowHeight(): number {
  const [narrow, setNarrow] = useState(NARROW.matches);
  useEffect(() => {
    const onChange = (): void => setNarrow(NARROW.matches);
    NARROW.addEventListener('change', onChange);
    return () => NARROW.removeEventListener('change', onChange);
  }, []);
  return narrow ? 116 : 60;
}
