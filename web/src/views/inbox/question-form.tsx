import type { JSX } from 'preact';
import { questionFields } from '../../../../src/domain/approvals/approval.ts';
import type { FormField } from '../../../../src/domain/approvals/form.ts';
import type { ApprovalRow } from '../../api/live.ts';
import { useDraftFields } from '../../api/drafts.ts';
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
  /** Whether it was taken. */
  onAnswer: (given: Given) => Promise<boolean>;
}): JSX.Element {
  const fields = questionFields(approval);
  const draft = useDraftFields<string>(`answer ${approval.id}`, {});
  const { fields: values } = draft;
  const [only, other] = fields;
  const choices = other === undefined ? choicesOf(only) : [];
  const isByKeys = other === undefined && (only === undefined || isSeveral(only));
  const set = (name: string, value: string): void => draft.set({ [name]: value });
  const answer = async (given: Given): Promise<void> => {
    if (await onAnswer(given)) draft.forget();
  };
  const submit = (): Promise<void> => {
    if (only !== undefined && other === undefined && only.type !== 'choices')
      return answer({ decision: 'allow', answer: values[only.name] ?? '' });
    const given = Object.entries(values).filter(([, value]) => value !== '');
    const content = given.map(([name, value]) => [name, typed(fields, name, value)] as const);
    return answer({ decision: 'allow', answer: JSON.stringify(Object.fromEntries(content)) });
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      {choices.length > 0 || only === undefined ? null : (
        <div class="fields">
          {fields.map((field) =>
            isSeveral(field) ? (
              <SeveralChoices
                key={field.name}
                field={field}
                chosen={listIn(values[field.name])}
                withKeys={other === undefined}
                onChoose={(ids) => set(field.name, ids.length === 0 ? '' : JSON.stringify(ids))}
              />
            ) : (
              <Field
                key={field.name}
                label={labelOf(field)}
                {...(field.type === 'choices' ? { hint: 'Separated by commas' } : {})}
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
            ),
          )}
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
              void answer(
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
          <button type="submit" class="primary" disabled={busy} data-key={isByKeys ? 'y' : undefined}>
            {only === undefined ? 'Yes' : 'Answer'} {isByKeys ? <kbd>y</kbd> : null}
          </button>
        )}
        <button
          type="button"
          class="danger"
          disabled={busy}
          data-key="n"
          onClick={() => void answer({ decision: 'deny' })}
        >
          Decline <kbd>n</kbd>
        </button>
      </div>
    </form>
  );
}

/** Any number of choices. */
function SeveralChoices({
  field,
  chosen,
  withKeys,
  onChoose,
}: {
  field: FormField;
  chosen: readonly string[];
  withKeys: boolean;
  onChoose: (ids: readonly string[]) => void;
}): JSX.Element {
  return (
    <fieldset class="several">
      <legend>{labelOf(field)}</legend>
      {field.choices.map(({ id, name }, index) => {
        const key = withKeys && index < 9 ? String(index + 1) : undefined;
        return (
          <label key={id} class="check">
            <input
              type="checkbox"
              data-key={key}
              checked={chosen.includes(id)}
              onChange={({ currentTarget: { checked } }) =>
                onChoose(checked ? [...chosen, id] : chosen.filter((each) => each !== id))
              }
            />{' '}
            <bdi>{visible(name)}</bdi> {key === undefined ? null : <kbd>{key}</kbd>}
          </label>
        );
      })}
    </fieldset>
  );
}

function isSeveral({ type, choices }: FormField): boolean {
  return type === 'choices' && choices.length > 0;
}

function labelOf({ label, name, required }: FormField): string {
  return `${visible(label || name)}${required ? ' (required)' : ''}`;
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
  if (field?.type !== 'choices') return value;
  return isSeveral(field) ? listIn(value) : value.split(',').map((each) => each.trim());
}

function listIn(json = '[]'): readonly string[] {
  const list: unknown = JSON.parse(json || '[]');
  return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
}
