import type { JSX } from 'preact';
import { Field } from '../../parts/field.tsx';
import { withPasted, type SpecParts } from './spec-text.ts';

const PARTS: readonly (readonly [keyof SpecParts, string, string])[] = [
  ['objective', 'Objective', 'What must be true in the end. A whole spec can be pasted here as Markdown.'],
  ['context', 'Context', ''],
  ['constraints', 'Constraints', 'One per line'],
  ['deliverables', 'Deliverables', 'One per line'],
  ['checks', 'Checks', 'Commands that must pass, one per line'],
];

export function SpecFields({
  spec,
  onChange,
  error,
}: {
  spec: SpecParts;
  onChange: (spec: SpecParts) => void;
  error: string | undefined;
}): JSX.Element {
  const onPaste = (event: ClipboardEvent): void => {
    const text = event.clipboardData?.getData('text/plain') ?? '';
    if (!/^#+ /m.test(text)) return;
    event.preventDefault();
    onChange(withPasted(spec, text));
  };
  return (
    <div class="fields">
      {PARTS.map(([name, label, hint]) => (
        <Field
          key={name}
          label={label}
          error={name === 'objective' ? error : undefined}
          {...(hint === '' ? {} : { hint })}
        >
          {(props) => (
            <textarea
              {...props}
              rows={name === 'objective' ? 3 : 2}
              value={spec[name]}
              onInput={(event) => onChange({ ...spec, [name]: event.currentTarget.value })}
              {...(name === 'objective' ? { onPaste } : {})}
            />
          )}
        </Field>
      ))}
    </div>
  );
}
