import { dirname } from 'node:path';
import { checkConfig, unknownServerKeys } from './check-config.ts';
import { configError, configWarning } from './config-problem.ts';
import { configSchema, type FleetConfig } from './config-schema.ts';
import { describeIssues } from './describe-issue.ts';
import { readYaml, type YamlSource } from './read-yaml.ts';
import { resolveConfig } from './resolve-config.ts';

export interface ConfigText {
  readonly text: string;
  /** Absolute: relative paths in the text start from its directory. */
  readonly path: string;
  readonly env: NodeJS.ProcessEnv;
}

export interface ParsedConfig {
  readonly config: FleetConfig;
  readonly warnings: readonly string[];
}

/** The configuration that a text holds. What is wrong with it is INVALID_INPUT with file, line, column and key. */
export function parseConfig({ text, path, env }: ConfigText): ParsedConfig {
  const source = readYaml(text, path);
  refuseEmpty(source);
  const parsed = configSchema.safeParse(source.value);
  if (!parsed.success) throw configError(describeIssues(parsed.error.issues, source.value), source);
  const resolved = resolveConfig(parsed.data, { directory: dirname(path), env });
  const problems = [...checkConfig(parsed.data), ...resolved.problems];
  if (problems.length > 0) throw configError(problems, source);
  const warnings = [...unknownServerKeys(parsed.data, source.value), ...resolved.warnings];
  return {
    config: resolved.config,
    warnings: warnings.map((warning) => configWarning(warning, source)),
  };
}

function refuseEmpty(source: YamlSource): void {
  if (source.value !== null) return;
  throw configError(
    [{ path: [], text: 'is empty; it needs at least "version: 1" (fleet init writes one)' }],
    source,
  );
}
