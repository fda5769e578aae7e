export const PAGE_STYLE = `
:root { color-scheme: light dark; --text: #1b1f24; --soft: #57606a; --line: #d0d7de; --back: #ffffff; --warn: #9a3412; --warn-back: #fff4e5; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e6edf3; --soft: #9aa4ae; --line: #30363d; --back: #0d1117; --warn: #ffb86b; --warn-back: #2d1f0e; }
}
* { box-sizing: border-box; }
body { margin: 0; font: 16px/1.5 system-ui, sans-serif; color: var(--text); background: var(--back); }
main { max-width: 72rem; margin: 0 auto; padding: 1.5rem 1rem; }
h1 { font-size: 1.5rem; margin: 0; }
header p { margin: .25rem 0 1rem; color: var(--soft); }
#connection { color: var(--warn); }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; }
caption { text-align: left; color: var(--soft); padding-bottom: .5rem; }
th, td { text-align: left; vertical-align: top; padding: .5rem .75rem; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th { font-weight: 600; }
thead th { color: var(--soft); white-space: nowrap; }
tbody th { white-space: nowrap; }
td.task { min-width: 14rem; }
td.status, td.since { white-space: nowrap; }
td.changes { min-width: 9rem; }
tr.attention > * { background: var(--warn-back); }
tr.attention td.why { color: var(--warn); min-width: 12rem; }
code, pre { font-family: ui-monospace, monospace; font-size: .9em; }
pre { padding: .75rem 1rem; border: 1px solid var(--line); overflow-x: auto; }
[hidden] { display: none; }
`;
