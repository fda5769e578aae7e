import type { Requirement } from '../row.ts';

export const rows: readonly Requirement[] = [
  {
    id: 'MD-always-present',
    source: 'seed 003 Contract validation; contract Agent metadata',
    text: 'Every agent in show_agent and list_agents has metadata_count, an integer of at least 0, and metadata, an object.',
  },
  {
    id: 'MD-none-show',
    source: 'seed 003 show_agent no metadata; contract Agent metadata',
    text: 'show_agent of an agent whose workspace has no Taskfile.yml has metadata_count 0 and metadata {}.',
  },
  {
    id: 'MD-none-list',
    source: 'seed 003 list_agents no metadata; contract Agent metadata',
    text: 'list_agents gives an agent whose workspace has no Taskfile.yml metadata_count 0 and metadata {}.',
  },
  {
    id: 'MD-compatible',
    source: 'seed 003 Backward compatibility',
    text: 'show_agent still requires agent_name alone, list_agents nothing, and every field of seed 001 is still there beside the metadata.',
  },
  {
    id: 'MD-show-shape',
    source: 'seed 003 show_agent output',
    text: 'show_agent gives each metadata field as value, error and schema with description and include_in_list.',
  },
  {
    id: 'MD-show-value-types',
    source: 'seed 003 show_agent example; contract Taskfile metadata',
    text: 'A metadata value that is JSON keeps its type, so that 810 is a number and open is text.',
  },
  {
    id: 'MD-partial',
    source: 'seed 003 Partial metadata; contract Taskfile metadata',
    text: 'A field whose command fails has value null and an error that says why, and the other fields have their values.',
  },
  {
    id: 'MD-broken-taskfile',
    source: 'seed 003 show_agent no metadata',
    text: 'A Taskfile.yml that cannot be loaded gives metadata_count 0 and metadata {} and no error of the call.',
  },
  {
    id: 'MD-never-fails',
    source:
      'seed 003 show_agent error handling; seed 003 list_agents error handling; contract Taskfile metadata',
    text: 'No failure of metadata collection makes show_agent or list_agents fail or leaves an agent out of the list.',
  },
  {
    id: 'MD-list-values',
    source: 'seed 003 list_agents output; seed 003 Metadata filtering logic; contract Agent metadata',
    text: 'metadata in list_agents holds the plain values, with neither schema nor error, of only the fields with include_in_list true.',
  },
  {
    id: 'MD-list-null',
    source: 'seed 003 list_agents example',
    text: 'A listed field without a value is in list_agents with null.',
  },
  {
    id: 'MD-count-total',
    source: 'seed 003 Metadata filtering logic; contract Agent metadata_count',
    text: 'metadata_count counts all fields, those that failed and those left out of the list too.',
  },
  {
    id: 'MD-all-excluded',
    source: 'seed 003 All metadata excluded',
    text: 'list_agents gives metadata {} and the full metadata_count when no field is meant for the list.',
  },
  {
    id: 'MD-show-time',
    source: 'seed 003 Performance impact',
    text: 'The bench holds show_agent with metadata from quick commands under 3 s.',
  },
];
