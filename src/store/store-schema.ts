import { SCHEMA_TABLE, type Schema } from '../platform/database/prepare-schema.ts';

/** `moment` tells apart what time alone made between two facts. */
const EVENT_COLUMNS = `
    cursor INTEGER PRIMARY KEY AUTOINCREMENT, at TEXT NOT NULL, kind TEXT NOT NULL, agent_name TEXT NOT NULL,
    workspace_id TEXT NOT NULL, seq INTEGER NOT NULL, moment TEXT NOT NULL DEFAULT '', data TEXT NOT NULL,
    UNIQUE (workspace_id, seq, kind, moment)
`;

/** Questions about calls of tools, which no agent's journal has. */
const APPROVAL_COLUMNS = `
    id TEXT PRIMARY KEY, asked_by TEXT NOT NULL, digest TEXT NOT NULL, question TEXT NOT NULL, asked_at TEXT NOT NULL,
    expires_at TEXT NOT NULL, answer TEXT, answered_by TEXT, used INTEGER NOT NULL DEFAULT 0
`;

/** Accounts whose quota is used up. */
const PARKED_TABLE = `CREATE TABLE parked (account TEXT PRIMARY KEY, reason TEXT NOT NULL, until INTEGER) STRICT;`;

/** When somebody last looked at the fleet. */
const LOOKS_TABLE = `CREATE TABLE looks (id INTEGER PRIMARY KEY CHECK (id = 1), at INTEGER NOT NULL) STRICT;`;

/** What forges said last: of pull requests, of branches, to questions that may be asked again, and who asked for a pause. */
const FORGE_TABLES = `
  CREATE TABLE pull_requests (
    url TEXT PRIMARY KEY, status TEXT, check_status TEXT, error TEXT, fetched_at INTEGER NOT NULL, asked INTEGER NOT NULL,
    changed_at TEXT NOT NULL
  ) STRICT;
  CREATE TABLE branch_searches (
    workspace_id TEXT PRIMARY KEY, branch TEXT NOT NULL, url TEXT, searched_at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE forge_answers (
    request TEXT PRIMARY KEY, etag TEXT NOT NULL, data TEXT NOT NULL, at INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE forge_pauses (host TEXT PRIMARY KEY, until INTEGER NOT NULL) STRICT;
`;

/** Agents in Coder workspaces: what was learnt of them, and of versions of templates, which never change. */
const CODER_TABLES = `
  CREATE TABLE coder_agents (
    workspace_id TEXT PRIMARY KEY, backend TEXT NOT NULL, name TEXT NOT NULL, agent_id TEXT, origin TEXT,
    status TEXT NOT NULL DEFAULT '', unhealthy_since INTEGER, failure TEXT, heard_at TEXT, gone INTEGER NOT NULL DEFAULT 0
  ) STRICT;
  CREATE TABLE coder_versions (version_id TEXT PRIMARY KEY, facts TEXT NOT NULL) STRICT;
`;

/** Landings of agents' work, and comments of a review that is not sent yet. */
const MERGE_TABLES = `
  CREATE TABLE landings (
    land_id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, state TEXT NOT NULL, data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE review_comments (
    id TEXT PRIMARY KEY, workspace_id TEXT NOT NULL, data TEXT NOT NULL
  ) STRICT;
  CREATE TABLE merge_results (
    one TEXT NOT NULL, other TEXT NOT NULL, paths TEXT NOT NULL, PRIMARY KEY (one, other)
  ) STRICT;
  CREATE TABLE forecasts (project TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;
`;

/** Results of checks. */
const CHECK_TABLE = `
  CREATE TABLE check_results (
    project TEXT NOT NULL, tree TEXT NOT NULL, command TEXT NOT NULL, setup TEXT NOT NULL, state TEXT NOT NULL,
    exit_code INTEGER, took_ms INTEGER NOT NULL, output TEXT NOT NULL, checked_at TEXT NOT NULL,
    PRIMARY KEY (project, tree, command, setup)
  ) STRICT;
`;

/** What of pull requests was given to agents as tasks. */
const FEEDBACK_TABLE = `CREATE TABLE ci_feedback (workspace_id TEXT PRIMARY KEY, data TEXT NOT NULL) STRICT;`;

/** Conflicts between branches that subscribers were told of; `other_id` is empty for the base. */
const CONFLICT_TABLE = `
  CREATE TABLE conflicts (
    workspace_id TEXT NOT NULL, other_id TEXT NOT NULL, agent_name TEXT NOT NULL, other TEXT, paths TEXT NOT NULL,
    PRIMARY KEY (workspace_id, other_id)
  ) STRICT;
`;

/** The tables of the one database that all processes of a fleet share. A runner of the version before goes on writing
 *  to it after it was brought forward. */
export const STORE_SCHEMA: Schema = {
  of: `This fleet's store`,
  damage: 'store_corrupt',
  version: 1,
  tables: `
  CREATE TABLE agents (
    workspace_id TEXT PRIMARY KEY, name TEXT NOT NULL, name_key TEXT NOT NULL UNIQUE, project TEXT NOT NULL,
    role TEXT NOT NULL, created_at TEXT NOT NULL, created_by TEXT NOT NULL, key TEXT NOT NULL,
    tombstone TEXT, unreachable_since INTEGER, runner TEXT, origin TEXT NOT NULL
  ) STRICT;
  CREATE TABLE summaries (
    workspace_id TEXT PRIMARY KEY, seq INTEGER NOT NULL, state TEXT NOT NULL, progress TEXT, git TEXT,
    pull_request TEXT, listed TEXT
  ) STRICT;
  CREATE TABLE events (${EVENT_COLUMNS}) STRICT;
  CREATE TABLE slots (
    ticket INTEGER PRIMARY KEY AUTOINCREMENT, workspace_id TEXT NOT NULL UNIQUE, holder TEXT NOT NULL,
    room INTEGER NOT NULL
  ) STRICT;
  CREATE TABLE answers (
    principal TEXT NOT NULL, operation TEXT NOT NULL, key TEXT NOT NULL, input_hash TEXT NOT NULL,
    answer TEXT, at TEXT NOT NULL, PRIMARY KEY (principal, operation, key)
  ) STRICT;
  CREATE TABLE approvals (${APPROVAL_COLUMNS}) STRICT;
  ${PARKED_TABLE}
  ${LOOKS_TABLE}
  ${FORGE_TABLES}
  ${CODER_TABLES}
  ${MERGE_TABLES}
  ${CHECK_TABLE}
  ${FEEDBACK_TABLE}
  ${CONFLICT_TABLE}
  CREATE TABLE audit (
    id INTEGER PRIMARY KEY, at TEXT NOT NULL, principal TEXT NOT NULL, door TEXT NOT NULL,
    operation TEXT NOT NULL, input TEXT NOT NULL, outcome TEXT NOT NULL
  ) STRICT;
  ${SCHEMA_TABLE}
`,
  steps: [
    `
  ${SCHEMA_TABLE}
  CREATE TABLE events_next (${EVENT_COLUMNS}) STRICT;
  INSERT INTO events_next (cursor, at, kind, agent_name, workspace_id, seq, data)
    SELECT cursor, at, kind, agent_name, workspace_id, seq, data FROM events ORDER BY cursor;
  DROP TABLE events;
  ALTER TABLE events_next RENAME TO events;
`,
    `CREATE TABLE approvals (${APPROVAL_COLUMNS}) STRICT; ${PARKED_TABLE}`,
    `ALTER TABLE summaries ADD COLUMN listed TEXT; ${LOOKS_TABLE}`,
    FORGE_TABLES,
    CODER_TABLES,
    MERGE_TABLES,
    CHECK_TABLE,
    FEEDBACK_TABLE,
    CONFLICT_TABLE,
  ],
};
