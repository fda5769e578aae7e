/** For the model that controls the fleet; clients cut it at 2 KB. */
export const INSTRUCTIONS = `Fleet runs coding agents, each in a workspace of its own (a git worktree and branch, or a remote workspace). You give them tasks, follow them and collect their work.

How to work:
1. list_agent_projects shows where agents can work, list_agent_roles what they can be.
2. create_agent makes an agent and gives it its first task; it starts at once. Write tasks so that someone without this conversation can do them. Give a spec when several tasks lead to one goal.
3. wait_for_agents waits until agents are idle (default), need attention, or anything changes. Prefer it to asking again and again. It answers timed_out after timeout_seconds (default 60): just call it again.
4. show_agent gives one agent whole: status with its evidence, spec, git, pull request. show_agent_task_history lists its tasks and reports, show_agent_log what it said and did; both newest first, in pages (ask the log for page_size 20 or more).
5. start_agent_task gives the next task to an idle agent. A busy one answers CONFLICT; say when_busy: queue or interrupt if you mean it.
6. cancel_agent_task interrupts the running task. stop_agent and restart_agent keep the workspace. delete_agent removes agent and workspace; work that is not pushed is kept on a branch that the answer names.

needs_attention is true when a human must act: a task failed, the agent is stuck or reported a failure. Read the reason, help if you can, tell the human if you cannot, and acknowledge_agent when it is dealt with. The next task clears it too.

Names are the same in upper and lower case. Pass an idempotency_key to create_agent and start_agent_task when you may have to repeat a call: the same call with it does nothing twice.

A failed call has isError and the text {"error": {"code", "message", "details"}}. The message says what to do next; details.field names the input at fault. CONFLICT and SERVICE_UNAVAILABLE may succeed later; other codes need another call.`;
