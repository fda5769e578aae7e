// Runs a script as the program that reads an agent's repository. Prints what came of it, as JSON.
import { agentPaths } from '../../../src/backends/local/records/paths.ts';
import { planWorkspace } from '../../../src/backends/local/workspace/plan-workspace.ts';
import { Reader } from '../../../src/backends/local/reading/reader.ts';

const [home = '', repository = '', contained, limit_ms, script = '', ...args] = process.argv.slice(2);
const workspace_id = '00000000-0000-4000-8000-000000000001';
const paths = agentPaths(home, workspace_id);
const plan = await planWorkspace({
  repository,
  directory: paths.workspace,
  agent_name: 'read',
  workspace_id,
  base: undefined,
  branch: undefined,
  pull_request_url: undefined,
  setup: null,
  copy: [],
  remote_name: 'fleet',
});
const reader = new Reader({
  home,
  paths,
  plan,
  workspace_id,
  lenders: [plan.clone?.lender ?? ''],
  contained: contained === 'true',
});
reader.clear();
const { ok, stdout, stderr } = await reader.read({ script, args, limit_ms: Number(limit_ms) });
console.log(JSON.stringify({ ok, stdout: stdout.toString(), stderr, scratch: reader.scratch }));
