# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""How a page looks: narrow or wide, light or dark, on paper."""

# Text has a contrast of at least 4.5 to 1 in both schemes.
_LIGHT = """
  --paper: #fdfdfc; --raised: #f4f4f2; --line: #dcdcd7; --ink: #1d1e20; --soft: #5c5f66;
  --stuck: #a61b1b; --held: #8a5300; --wait: #2b5d8c; --good: #2c6b3f; --other: #6b5b95;
  --barrier: #3f5f7f; --rest: #e2e2dd;
"""
_DARK = """
  --paper: #141517; --raised: #1d1f22; --line: #34373c; --ink: #e7e6e3; --soft: #a3a6ad;
  --stuck: #ff9a8f; --held: #e9b963; --wait: #8bbbe8; --good: #83c995; --other: #b9a8e0;
  --barrier: #8fb2d6; --rest: #2c2f34;
"""

_DEPTHS = "\n".join(f".depth{n} {{ margin-left: {n * 0.9:.1f}rem }}" for n in range(1, 13))

STYLE = (
    ":root { color-scheme: light dark;"
    + _LIGHT
    + "}\n@media (prefers-color-scheme: dark) { :root {"
    + _DARK
    + "} }\n"
    + """
* { box-sizing: border-box }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100% }
body { margin: 0; background: var(--paper); color: var(--ink);
  font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", "Noto Sans", "DejaVu Sans", sans-serif }
code, .file, svg text { font-family: ui-monospace, "SF Mono", "Cascadia Mono", "DejaVu Sans Mono",
  Menlo, Consolas, monospace; font-size: .875em; overflow-wrap: anywhere }
code .file, code .at { font-size: 1em }
.at { color: var(--soft) }
.page { max-width: 68rem; margin: 0 auto; padding: 0 1rem 3rem }
header { padding: 1.75rem 0 1rem }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0; letter-spacing: -.01em;
  overflow-wrap: anywhere }
h2 { font-size: 1.25rem; line-height: 1.3; margin: 2.75rem 0 .75rem; padding-top: .75rem;
  border-top: 1px solid var(--line) }
h3 { font-size: 1rem; margin: 1.5rem 0 .5rem }
article h3 { margin-top: 0; overflow-wrap: anywhere }
h4 { font-size: .95rem; margin: 1rem 0 .25rem }
p { margin: .25rem 0 }
.muted, .note, figcaption { color: var(--soft); font-weight: 400 }
.note, figcaption { font-size: .9rem }
.subtitle { color: var(--soft); overflow-wrap: anywhere }
a { color: var(--wait); text-underline-offset: .15em }
:focus-visible { outline: 2px solid var(--wait); outline-offset: 2px }
.skip { position: absolute; left: -99rem }
.skip:focus { left: 1rem; top: .5rem }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem 1.1rem; list-style: none; margin: 1rem 0 0;
  padding: 0; font-size: .95rem }
ul, ol { padding: 0; margin: .5rem 0; list-style: none }
.scroll { overflow-x: auto; max-width: 100% }
section { scroll-margin-top: 1rem }

.facts { display: flex; flex-wrap: wrap; gap: .5rem 2rem; margin: 1rem 0 0 }
.facts div { display: block; border: 0; padding: 0 }
.facts dt { color: var(--soft); font-size: .8rem }
.facts dd { margin: 0; font-weight: 600; font-variant-numeric: tabular-nums }
dl { margin: .5rem 0 }
dl div { display: grid; grid-template-columns: 9rem 1fr; gap: 0 1rem; padding: .3rem 0;
  border-bottom: 1px solid var(--line) }
dt { color: var(--soft) }
dd { margin: 0; overflow-wrap: anywhere }

.verdict { border-left: .3rem solid; background: var(--raised);
  padding: .9rem 1.1rem 1rem; margin: 1rem 0 }
.verdict .word { font-size: .85rem; font-weight: 600; margin: 0 }
.verdict .headline { font-size: 1.25rem; line-height: 1.35; font-weight: 600; margin: .15rem 0;
  overflow-wrap: anywhere; text-wrap: balance }
.verdict .meaning { color: var(--soft) }
.stuck, .crashed { --tone: var(--stuck) } .held_up { --tone: var(--held) }
.waiting { --tone: var(--wait) }
.unknown { --tone: var(--soft) } .none { --tone: var(--good) }
.verdict { border-color: var(--tone) } .verdict .word { color: var(--tone) }
.trace { margin: .6rem 0 0; counter-reset: frame }
.trace li { padding: .1rem 0 .1rem 2rem; text-indent: -2rem; overflow-wrap: anywhere }
.trace li::before { content: counter(frame) "."; counter-increment: frame; display: inline-block;
  width: 2rem; text-indent: 0; color: var(--soft); font-variant-numeric: tabular-nums }
.finding { padding: 1rem 0; border-bottom: 1px solid var(--line) }
.finding:last-child { border-bottom: 0 }
.badge { display: inline-block; font-size: .78rem; font-weight: 600; line-height: 1.3;
  padding: .08rem .4rem; border: 1px solid var(--tone, var(--line)); border-radius: .2rem;
  color: var(--tone, var(--soft)); white-space: nowrap }
.badge.running { --tone: var(--good) } .badge.blocked { --tone: var(--held) }
.badge.queued, .badge.suspended { --tone: var(--wait) } .badge.detached { --tone: var(--stuck) }

.rows li, .ends li { display: grid; gap: 0 1rem; padding: .2rem 0;
  grid-template-columns: minmax(6rem, 11rem) minmax(8rem, 16rem) 1fr }
.who { font-variant-numeric: tabular-nums }
.does { font-weight: 600 }
.does.barrier { color: var(--barrier) } .does.lock { color: var(--held) }
.does.tasks { color: var(--wait) } .does.works { color: var(--good) }
.does.crashed, b.crashed { color: var(--stuck) } .does.asleep { color: var(--other) }
.does.idle, .does.other { color: var(--soft); font-weight: 400 }
.cycle { border-left: 2px solid var(--stuck); margin-left: .4rem; padding-left: 1.1rem }
.cycle li { position: relative; padding: .3rem 0 }
.cycle li::before { content: ""; position: absolute; left: -1.53rem; top: .75rem; width: .7rem;
  height: .7rem; border-radius: 50%; background: var(--paper); border: 2px solid var(--stuck) }
.cycle .back { color: var(--stuck) }
.cycle .back::before { background: var(--stuck) }
.below { display: block }

.region { border: 1px solid var(--line); border-radius: .3rem; padding: 1rem; margin: .75rem 0;
  background: var(--paper) }
.region .region { margin: 1rem 0 0 }
.region .opened { margin-top: -.35rem; color: var(--soft) }
.arrival { margin: .6rem 0 .2rem; font-size: .9rem }
.progress { display: block; margin-top: .2rem }
.rest { fill: var(--rest) } .come { fill: var(--barrier) }
.lanes { margin: 1rem 0 0; border-right: 3px solid var(--barrier); padding: .15rem 0 }
.lane { display: grid; grid-template-columns: 9.75rem 1fr; align-items: center;
  gap: .1rem .75rem; padding: .45rem 0 }
.lane .who { display: flex; flex-wrap: wrap; gap: .25rem }
.lane .track { position: relative; height: 2px; background: var(--tone); width: 45% }
.lane.barrier .track { width: 100% }
.lane .track::after { content: ""; position: absolute; right: 0; top: -4px; width: 10px;
  height: 10px; background: var(--tone); border-radius: 50% }
.lane.lock .track::after { border-radius: 0 }
.lane.works .track::after { background: var(--paper); border: 2px solid var(--tone) }
.lane.barrier .track::after { width: 4px; border-radius: 0 }
.lane .what { grid-column: 2; padding-right: .75rem; display: flex; flex-wrap: wrap;
  gap: 0 .75rem }
.crowded { grid-template-columns: 1fr }
.crowded .who, .crowded .crowd { padding-right: .75rem }
.crowded .what { grid-column: 1 }
.owner { color: var(--soft) }
.barrier { --tone: var(--barrier) } .lock { --tone: var(--held) } .tasks { --tone: var(--wait) }
.works { --tone: var(--good) } .asleep, .other { --tone: var(--other) }
.idle { --tone: var(--soft) }
.tile { display: inline-block; min-width: 1.7rem; height: 1.5rem; padding: 0 .25rem;
  font-size: .8rem; line-height: 1.4rem; font-weight: 600; text-align: center;
  font-variant-numeric: tabular-nums; border: 1px solid var(--tone); border-radius: .2rem;
  color: var(--tone); font-style: normal }
.tile.barrier, .tile.crashed, .tile.small { background: var(--tone); color: var(--paper) }
.tile.works { border-style: dashed }
.tile.lock { border-width: 2px; line-height: 1.25rem }
.tile.small { min-width: 0; width: .45rem; height: .6rem; padding: 0; border-radius: 1px }
.crowd { display: flex; flex-wrap: wrap; gap: 2px; width: 100% }
.many { font-weight: 600; font-size: .9rem }
.legend { display: flex; flex-wrap: wrap; gap: .25rem 1.25rem; font-size: .85rem;
  color: var(--soft) }
.legend .tile { min-width: 1rem; width: 1rem; height: .9rem; margin-right: .4rem; padding: 0;
  vertical-align: -.1rem }

.groups { display: grid; grid-template-columns: 5.5rem minmax(8rem, 18rem) 1fr; gap: .25rem 1rem;
  padding: .6rem 0; border-bottom: 1px solid var(--line) }
.ranks { display: flex; flex-wrap: wrap; gap: .25rem; align-content: flex-start }
.ranks .tile { color: var(--tone, var(--soft)); border-color: var(--tone, var(--line)) }
.ranks .tile.crashed { color: var(--paper) }

details { margin: .1rem 0 }
summary { cursor: pointer; padding: .2rem 0; overflow-wrap: anywhere }
summary::marker { color: var(--soft) }
.stacks details details { margin-left: 1rem; border-left: 1px solid var(--line);
  padding-left: .75rem }
.calls { margin: 0 0 0 1.1rem }
.calls li { padding: .1rem 0; overflow-wrap: anywhere }
.calls li::before { content: "\\21b3"; color: var(--soft); margin-right: .4rem }
.function { font-weight: 600 }
.stacks .file { color: var(--soft) }
.construct { font-weight: 600; color: var(--barrier) }
.count { margin-left: .6rem; font-size: .85rem; color: var(--soft); white-space: nowrap }
.ends { margin: .1rem 0 .4rem 1.1rem; padding: .1rem .75rem; background: var(--raised);
  border-radius: .2rem }

.moments { margin: 1rem 0 }
.moments svg { display: block; max-width: none }
.moments text { fill: var(--soft); font-size: 12px } .moments .name { fill: var(--ink) }
.moments .age { text-anchor: middle; font-size: 11px } .moments .end { text-anchor: end }
.moments .grid { stroke: var(--line); stroke-dasharray: 2 3 }
.moments .time { stroke: var(--line) }
.moments rect { fill: var(--tone) } .moments .waits rect { fill-opacity: .75 }
.moments .task rect { fill: var(--rest) }
.moments .mark line { stroke: var(--ink); stroke-width: 1 }
.moments .link { stroke: var(--stuck); fill: var(--stuck) } .moments .link path { fill: none;
  stroke-width: 1.5; stroke-dasharray: 5 3 }
.graph { margin: 1rem 0 }
.graph svg { display: block }
.edge { fill: none; stroke: var(--soft); stroke-width: 1.25 }
.task rect { fill: var(--raised); stroke: var(--line) }
.task .mark { fill: var(--tone, var(--soft)); stroke: none }
.task text { fill: var(--ink); font-size: 12px } .task .name { font-weight: 600 }
.task .line { fill: var(--soft) } .task .status { fill: var(--tone, var(--soft)) }
.task.running { --tone: var(--good) } .task.blocked { --tone: var(--held) }
.task.queued, .task.suspended { --tone: var(--wait) } .task.detached { --tone: var(--stuck) }
.tasks li { padding: .2rem 0; display: flex; flex-wrap: wrap; gap: .1rem .6rem;
  align-items: baseline }
.more { color: var(--soft); font-size: .9rem }

table { border-collapse: collapse; width: 100%; font-size: .925rem }
th { text-align: left; white-space: nowrap; font-weight: 600; color: var(--soft);
  font-size: .85rem }
th, td { padding: .35rem 1rem .35rem 0; vertical-align: top; border-bottom: 1px solid var(--line);
  overflow-wrap: anywhere }
td { font-variant-numeric: tabular-nums }
td.number { text-align: right; white-space: nowrap; width: 1% }
td.bar { min-width: 3rem; width: 20%; vertical-align: middle }
td .place, td code { overflow-wrap: anywhere }
footer { margin-top: 3rem; padding-top: 1rem; border-top: 1px solid var(--line);
  color: var(--soft); font-size: .85rem }

@media (max-width: 44rem) {
  h1 { font-size: 1.45rem }
  .verdict .headline { font-size: 1.1rem }
  .rows li, .ends li { grid-template-columns: 1fr 1fr }
  .rows li .place { grid-column: 1 / -1 }
  .rows li { padding: .45rem 0 }
  .lane { grid-template-columns: 1fr }
  .lane .what { grid-column: 1 }
  .groups { grid-template-columns: 1fr }
  .region { padding: .8rem .7rem }
  dl div { grid-template-columns: 1fr }
  .stacks details details { margin-left: .25rem; padding-left: .5rem }
  .calls, .ends { margin-left: .6rem }
  table.wide thead { position: absolute; width: 1px; height: 1px; overflow: hidden;
    clip-path: inset(50%) }
  table.wide, table.wide tbody, table.wide tr, table.wide td { display: block }
  table.wide tr { padding: .5rem 0; border-bottom: 1px solid var(--line) }
  table.wide td { border: 0; padding: .05rem 0; display: grid;
    grid-template-columns: 7.5rem 1fr; gap: .5rem }
  table.wide td:empty, table.wide td:first-child::before,
  table.variables td:nth-child(2)::before { display: none }
  table.variables tr { display: grid; grid-template-columns: 1fr 1fr; gap: 0 .75rem }
  table.variables td { grid-column: 1 / -1 }
  table.variables td:first-child { grid-column: 1; display: block }
  table.variables td:nth-child(2) { grid-column: 2; display: block }
  table.threads tr { display: flex; flex-wrap: wrap; gap: .1rem .9rem }
  table.threads td { display: block }
  table.threads td:first-child::before { display: inline }
  table.threads td::before { margin-right: .35rem }
  table.threads td:nth-child(n+5)::before { display: none }
  table.threads td:nth-child(5) { flex-basis: 100%; margin-bottom: -.1rem }
  table.threads td:nth-child(6) { display: none }
  table.wide td::before { content: attr(data-label); color: var(--soft); font-size: .85rem }
}
@media print {
  .page { max-width: none } nav { display: none }
  .lane, .finding, tr { break-inside: avoid }
  .scroll { overflow: visible }
  details::details-content { content-visibility: visible; block-size: auto }
}
"""
    + _DEPTHS
    + "\n"
)
