"""How a report looks: on a wide screen, on a phone, by night, and on paper."""

STYLE = """
:root {
  color-scheme: light dark;
  --ground: #fdfdfb; --raised: #f3f3ee; --ink: #1d1f21; --quiet: #5b6066; --line: #d6d6cf; --shade: #0003;
  --good: #1a6b3c; --bad: #a02c2c; --open: #7a5a00; --span: #0072b2;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #16181a; --raised: #212427; --ink: #e6e6e3; --quiet: #a5aab0; --line: #3c4146; --shade: #000a;
    --good: #6fcf97; --bad: #ff9a8f; --open: #e5c04b; --span: #56b4e9;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--ground); color: var(--ink);
  font: 16px/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Helvetica Neue", Arial, sans-serif;
}
main { max-width: 68rem; margin: 0 auto; padding: 1.5rem 1rem 4rem; }
h1 { font-size: 1.7rem; line-height: 1.25; margin: 0.5rem 0 1rem; overflow-wrap: anywhere; }
h2 {
  font-size: 1.25rem; line-height: 1.3; margin: 2.75rem 0 0.75rem; padding-top: 1rem;
  border-top: 1px solid var(--line);
}
p, dd, figcaption { max-width: 46rem; }
.read, .small, figcaption { color: var(--quiet); font-size: 0.92rem; }
.read b { color: var(--ink); }
dl { margin: 1rem 0; }
dt { font-weight: 600; margin-top: 1rem; overflow-wrap: anywhere; }
dd { margin: 0.15rem 0 0; overflow-wrap: anywhere; }
.answers { display: grid; grid-template-columns: repeat(auto-fill, minmax(min(19rem, 100%), 1fr)); gap: 0.75rem; }
.answers div { background: var(--raised); border-radius: 8px; padding: 0.75rem 1rem; }
.answers dt { margin: 0; }
.badge {
  display: inline-block; border: 1px solid currentColor; border-radius: 1em; padding: 0 0.6em;
  font-size: 0.85em; line-height: 1.5; font-weight: 600; white-space: nowrap;
}
.good { color: var(--good); } .bad { color: var(--bad); } .open { color: var(--open); }
.scroll {
  overflow-x: auto; margin: 1rem 0 0.5rem;
  background: linear-gradient(to left, var(--ground) 40%, transparent) right / 2.5rem 100% no-repeat local,
    linear-gradient(to left, var(--shade), transparent) right / 0.8rem 100% no-repeat scroll;
}
.scroll:focus-visible { outline: 2px solid var(--span); outline-offset: 2px; }
table {
  border-collapse: separate; border-spacing: 0; font-size: 0.92rem; line-height: 1.5rem;
  font-variant-numeric: tabular-nums;
}
caption { text-align: left; font-weight: 600; padding: 0 0 0.4rem; }
caption span { display: inline-block; position: sticky; left: 0; }
th, td { padding: 0.25rem 0.75rem; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
thead th {
  white-space: normal; vertical-align: bottom; color: var(--quiet); font-weight: 600;
  border-bottom: 1px solid var(--quiet);
}
.words, tbody th { text-align: left; }
tbody th { font-weight: 600; white-space: normal; min-width: 7.5rem; max-width: 15rem; overflow-wrap: anywhere; }
th.long { min-width: 6.5rem; }
th:first-child { padding-left: 0; position: sticky; left: 0; background: var(--ground); background-clip: padding-box; }
sup { line-height: 0; font-size: 0.72em; }
code, pre { font: 0.86rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; }
pre { background: var(--raised); border-radius: 6px; padding: 0.75rem 1rem; margin: 0.3rem 0; white-space: pre-wrap; }
code { overflow-wrap: anywhere; }
.strip { display: block; width: 9.6rem; height: 1.375rem; }
.strip .axis { stroke: var(--line); stroke-width: 1; }
.strip .span { fill: var(--span); }
.strip .rho { stroke: var(--ink); stroke-width: 1.5; }
figure { margin: 1.25rem 0; }
figure svg { display: block; max-width: 100%; height: auto; background: #fff; border-radius: 6px; }
@media (max-width: 40rem) {
  tbody th { max-width: 9rem; }
  figure { margin: 1.25rem -1rem; }
  figure svg { border-radius: 0; }
  figcaption { padding: 0 1rem; }
}
@media print {
  body { font-size: 10pt; background: #fff; color: #000; }
  main { max-width: none; padding: 0; }
  .scroll { overflow: visible; background: none; }
  th:first-child { position: static; background: none; }
  table { font-size: 7.5pt; line-height: 1.5; }
  th, td { padding: 0.15rem 0.35rem; }
  table, figure, dd, .answers div { break-inside: avoid; }
  h2, dt { break-after: avoid; }
}
"""
