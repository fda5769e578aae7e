import { FleetError, quote } from '../values/errors.ts';

export const METADATA_PREFIX = 'fleet_mcp_';
export const METADATA_KEY_PATTERN = /^fleet_mcp_[A-Za-z0-9_.-]+$/;
export const METADATA_KEY_LIMIT = 256;
export const METADATA_VALUE_LIMIT = 4096;
export const METADATA_TOTAL_LIMIT = 1_048_576;

/** Kept by the fleet itself; nobody sets them. */
const CORE_KEYS = new Set(
  ['agent_name', 'role', 'project', 'agent_spec', 'current_task'].map((key) => METADATA_PREFIX + key),
);

export const PULL_REQUEST_URL_KEY = `${METADATA_PREFIX}pull_request_url`;
export const PULL_REQUEST_STATUS_KEY = `${METADATA_PREFIX}pull_request_status`;
export const PULL_REQUEST_CHECK_KEY = `${METADATA_PREFIX}pull_request_check_status`;

export function checkMetadataKey(key: string): string {
  if (CORE_KEYS.has(key)) {
    throw new FleetError(
      'INVALID_INPUT',
      `The key ${quote(key)} is set by the fleet and cannot be changed.`,
      {
        field: 'key',
      },
    );
  }
  if (!METADATA_KEY_PATTERN.test(key) || key.length > METADATA_KEY_LIMIT) {
    throw new FleetError(
      'INVALID_INPUT',
      `The key ${quote(key)} is not valid: it must start with "${METADATA_PREFIX}", continue with letters, digits, "_", "." or "-", and have at most ${METADATA_KEY_LIMIT} characters.`,
      { field: 'key' },
    );
  }
  return key;
}

export function checkMetadataValue(value: string): string {
  const bytes = Buffer.byteLength(value);
  if (bytes > METADATA_VALUE_LIMIT) {
    throw new FleetError(
      'INVALID_INPUT',
      `The value has ${bytes} bytes; a metadata value has at most ${METADATA_VALUE_LIMIT}.`,
      { field: 'value' },
    );
  }
  return value;
}
