import type { JSX } from 'preact';
import { useState } from 'preact/hooks';
import { questionFields } from '../../../../src/domain/approvals/approval.ts';
import type { FormField } from '../../../../src/domain/approvals/form.ts';
import type { ApprovalRow } from '../../api/live.ts';
import { Field } from '../../parts/field.tsx';
import { visible } from '../../parts/visible.ts';

type Given = { decision: 'allow' | 'deny'; option?: string; answer?: string };

/** The form of a question: one click for a choice, fields for the rest. */
export function QuestionForm({
  approval,
  busy,
  onAnswer,
}: {
  approval: ApprovalRow;
  busy: boolean;
  onAnswer: (given: Given) => void;
}): JSX.Element {
  const fields = questionFields(approval);
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [only, other] = fields;
  const choices = other === undefined ? choicesOf(only) : [];
  const set = (name: string, value: string): void => setValues((before) => ({ ...before, [name]: value }));
  const submit = (): void => {
    const given = Object.entries(values).filter(([, value]) => value !== '');
    if (only !== undefined && other === undefined)
      onAnswer({ decision: 'allow', answer: values[only.name] ?? '' });
    else
      onAnswer({
        decision: 'allow',
        answer: JSON.stringify(
          Object.fromEntries(given.map(([name, value]) => [name, typed(fields, name, value)])),
        ),
      });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {choices.length > 0 || only === undefined ? null : (
        <div class="fields">
          {fields.map((field) => (
            <Field
              key={field.name}
              label={`${visible(field.label || field.name)}${field.required ? ' (required)' : ''}`}
            >
              {(props) =>
                field.choices.length > 0 || field.type === 'boolean' ? (
                  <select
                    {...props}
                    value={values[field.name] ?? ''}
                    onChange={(event) => set(field.name, event.currentTarget.value)}
                  >
                    <option value="" />
                    {optionsOf(field).map(({ id, name }) => (
                      <option key={id} value={id}>
                        {name}
                      </option>
                    ))}
                  </select>
                ) : (
                  <input
                    {...props}
                    inputMode={field.type === 'integer' || field.type === 'number' ? 'numeric' : 'text'}
                    value={values[field.name] ?? ''}
                    onInput={(event) => set(field.name, event.currentTarget.value)}
                  />
                )
              }
            </Field>
          ))}
        </div>
      )}
      <div class="buttons">
        {choices.map(({ id, name }, index) => (
          <button
            key={id}
            type="button"
            disabled={busy}
            data-key={index < 9 ? String(index + 1) : undefined}
            onClick={() =>
              onAnswer(
                only?.type === 'boolean'
                  ? { decision: 'allow', answer: id }
                  : { decision: 'allow', option: id },
              )
            }
          >
            <bdi>{visible(name)}</bdi> {index < 9 ? <kbd>{index + 1}</kbd> : null}
          </button>
        ))}
        {choices.length > 0 ? null : (
          <button
            type="submit"
            class="primary"
            disabled={busy}
            data-key={only === undefined ? 'y' : undefined}
          >
            {only === undefined ? 'Yes' : 'Answer'}
          </button>
        )}
        <button
          type="button"
          class="danger"
          disabled={busy}
          data-key="n"
          onClick={() => onAnswer({ decision: 'deny' })}
        >
          Decline <kbd>n</kbd>
        </button>
      </div>
    </form>
  );
}

function choicesOf(field: FormField | undefined): readonly { readonly id: string; readonly name: string }[] {
  if (field === undefined || field.type === 'choices') return [];
  return optionsOf(field);
}

function optionsOf(field: FormField): readonly { readonly id: string; readonly name: string }[] {
  return field.type === 'boolean'
    ? [
        { id: 'yes', name: 'Yes' },
        { id: 'no', name: 'No' },
      ]
    : field.choices;
}

function typed(fields: readonly FormField[], name: string, value: string): unknown {
  const field = fields.find((each) => each.name === name);
  if (field?.type === 'boolean') return value === 'yes';
  if (field?.type === 'integer' || field?.type === 'number') return Number(value);
  return field?.type === 'choices' ? [value] : value;
}
