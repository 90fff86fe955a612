// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// What a page does besides being read: it searches and filters, sorts tables, opens what a link leads to,
// and zooms the timeline. Without it everything is there, too.

"use strict";
(() => {
const all = (selector, within = document) => [...within.querySelectorAll(selector)];
const make = (name, text, attributes = {}) => {
  const made = document.createElement(name);
  made.textContent = text;
  for (const [key, value] of Object.entries(attributes))
    made.setAttribute(key, value);
  return made;
};

// ---- Links ---------------------------------------------------------------------------------

/** Open what folds the place to which the page's address leads. */
const open_target = () => {
  const target = document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!target)
    return;
  for (let at = target.parentElement; at; at = at.parentElement)
    if (at.tagName === "DETAILS")
      at.open = true;
  target.scrollIntoView({ block: target.tagName === "SECTION" ? "start" : "center" });
};
addEventListener("hashchange", open_target);
open_target();

// ---- Search and filter ---------------------------------------------------------------------

const ITEMS =
  "main tbody tr, main li:not(.legend li), main article, main details, main dl > div";
const form = document.querySelector("form[role=search]");
const input = document.getElementById("search");
const found = document.getElementById("found");
const chosen = new Set();
const items = all(ITEMS);
const heads = new Map();
const were_open = new Map();

/** Return what an item says itself, without the items in it. */
const head_of = item => {
  if (!heads.has(item)) {
    const summary = item.querySelector(":scope > summary, :scope > h3");
    const inner = !summary && item.querySelector(ITEMS.replaceAll("main ", ""));
    heads.set(item, inner ? "" : (summary || item).textContent.toLowerCase());
  }
  return heads.get(item);
};

const search = () => {
  const words = input.value.toLowerCase().split(/\s+/).filter(word => word);
  const has = text => words.every(word => text.includes(word));
  const active = words.length > 0 || chosen.size > 0;
  const whole = new Set();
  let count = 0;
  for (const item of items) {
    const above = item.parentElement.closest(ITEMS);
    const kind = !chosen.size || !item.dataset.kind || chosen.has(item.dataset.kind);
    const own = (above && whole.has(above)) || has(head_of(item));
    if (own)
      whole.add(item);
    const shows = kind && (own || has(item.textContent.toLowerCase()));
    item.hidden = active && !shows;
    count += active && words.length > 0 && shows && has(head_of(item)) ? 1 : 0;
    if (item.tagName !== "DETAILS")
      continue;
    if (active && !were_open.has(item))
      were_open.set(item, item.open);
    if (active && shows && !own)
      item.open = true;
    if (!active && were_open.has(item))
      item.open = were_open.get(item);
  }
  if (!active)
    were_open.clear();
  for (const node of all("main svg .node"))
    node.classList.toggle("dim", active && words.length > 0 && !has(node.textContent.toLowerCase()));
  for (const section of all("main > section"))
    section.hidden = words.length > 0 && !has(section.textContent.toLowerCase());
  found.textContent = words.length ? `${count} found` : "";
};

if (form && input) {
  form.hidden = false;
  form.addEventListener("submit", event => event.preventDefault());
  let waiting = 0;
  input.addEventListener("input", () => {
    clearTimeout(waiting);
    waiting = setTimeout(search, 120);
  });
  addEventListener("keydown", event => {
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(event.target.tagName)) {
      event.preventDefault();
      input.focus();
    }
  });
  for (const item of all(".legend [data-kind]")) {
    const button = make("button", "", { type: "button", "aria-pressed": "false" });
    button.append(...item.childNodes);
    item.append(button);
    const kind = item.dataset.kind;
    delete item.dataset.kind;
    button.title = "Show only these";
    button.addEventListener("click", () => {
      const is_chosen = chosen.delete(kind) ? false : !!chosen.add(kind);
      button.setAttribute("aria-pressed", String(is_chosen));
      search();
    });
  }
}

// ---- Tables --------------------------------------------------------------------------------

/** Return what a cell is sorted by: its number, or its text. */
const value_of = row => index => {
  const cell = row.cells[index];
  const text = cell.dataset.value ?? cell.textContent.trim();
  const number = parseFloat(text.replaceAll(/[,\s]/g, ""));
  return Number.isNaN(number) ? text.toLowerCase() : number;
};
const compare = (a, b) => typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) :
  typeof a === "number" ? -1 : 1;

for (const table of all("table")) {
  const body = table.tBodies[0];
  if (!table.tHead || !body || body.rows.length < 3)
    continue;
  [...table.tHead.rows[0].cells].forEach((head, index) => {
    if (!head.textContent)
      return;
    const button = make("button", head.textContent, { type: "button" });
    head.replaceChildren(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      all("th", table).forEach(one => one.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const rows = [...body.rows].map(row => [value_of(row)(index), row]);
      rows.sort((a, b) => (down ? -1 : 1) * compare(a[0], b[0]));
      body.append(...rows.map(pair => pair[1]));
    });
  });
}

// ---- Timeline ------------------------------------------------------------------------------

const UNITS = [[1e9, "s"], [1e6, "ms"], [1e3, "us"], [1, "ns"]];
const unit_of = ns => UNITS.find(one => ns >= one[0]) ?? UNITS[3];

for (const figure of all(".timeline")) {
  const data = JSON.parse(figure.querySelector("script").textContent);
  const rows = figure.querySelector(".times");
  const drawings = all("svg", rows);
  const marks = all(".ticks span", rows);
  const tools = figure.querySelector(".tools");
  const under = make("output", "");
  const least = Math.min(8, data.buckets);
  let first = 0, count = data.buckets;

  /** Return a moment in the unit that fits what is shown. */
  const written = at => {
    const [size, unit] = unit_of(count * data.bucket);
    return `${((data.begin + at * data.bucket) / size).toFixed(3)} ${unit}`;
  };
  const show = () => {
    count = Math.min(Math.max(count, least), data.buckets);
    first = Math.min(Math.max(first, 0), data.buckets - count);
    for (const drawing of drawings)
      drawing.setAttribute("viewBox", `${first} 0 ${count} 16`);
    marks.forEach((mark, index) => {
      mark.textContent = written(first + count * index / marks.length);
    });
  };
  /** Zoom by a factor around a place from 0 (left) to 1. */
  const zoom = (factor, place = 0.5) => {
    const before = count;
    count = Math.min(Math.max(count * factor, least), data.buckets);
    first += (before - count) * place;
    show();
  };
  const move = share => {
    first += count * share;
    show();
  };
  const actions = [
    ["Zoom in", "+", () => zoom(0.5)],
    ["Zoom out", "-", () => zoom(2)],
    ["Earlier", "ArrowLeft", () => move(-0.25)],
    ["Later", "ArrowRight", () => move(0.25)],
    ["All", "0", () => zoom(data.buckets)],
  ];
  for (const [name, key, act] of actions) {
    const button = make("button", name, { type: "button", title: `Key: ${key}` });
    button.addEventListener("click", act);
    tools.append(button);
  }
  tools.append(under);
  tools.hidden = false;
  rows.addEventListener("keydown", event => {
    const action = actions.find(one => one[1] === event.key);
    if (!action || event.ctrlKey || event.metaKey || event.altKey)
      return;
    event.preventDefault();
    action[2]();
  });

  const place_of = event => {
    const box = drawings[0].getBoundingClientRect();
    return (event.clientX - box.left) / box.width;
  };
  rows.addEventListener("wheel", event => {
    if (!event.ctrlKey && !event.shiftKey)
      return;
    event.preventDefault();
    zoom(event.deltaY + event.deltaX > 0 ? 1.25 : 0.8, place_of(event));
  }, { passive: false });
  /** Tell what a thread does in a bucket, the most of it first. */
  const told_of = (row, bucket) => {
    const slice = data.rows[row].find(one => one[0] <= bucket && bucket < one[0] + one[1]);
    if (!slice)
      return "not there";
    const times = slice.slice(4);
    const whole = times.reduce((sum, time) => sum + time, 0);
    const lanes = times.map((time, index) => [time, data.lanes[index]]).filter(one => one[0] > 0);
    lanes.sort((a, b) => b[0] - a[0]);
    const told = lanes.map(([time, lane]) => `${lane} ${Math.round(100 * time / whole)} %`);
    const works = slice[2] !== null && times[0] > 0;
    return told.join(", ") + (works ? `, mostly ${data.names[slice[2]]}` : "");
  };
  let dragged = null;
  rows.addEventListener("pointerdown", event => {
    dragged = place_of(event);
  });
  addEventListener("pointerup", () => {
    dragged = null;
  });
  rows.addEventListener("pointermove", event => {
    const place = place_of(event);
    const drawing = event.target.closest("svg");
    if (dragged !== null) {
      const share = dragged - place;
      dragged = place;
      move(share);
    } else if (drawing && place >= 0 && place < 1) {
      const bucket = Math.floor(first + count * place);
      const row = drawing.dataset.row;
      under.textContent = row === undefined ?
        `${written(bucket)}: ${((data.pool[bucket] ?? 0) / 1000).toFixed(1)} tasks in the pool` :
        `${written(bucket)}, thread ${data.threads[row]}: ${told_of(row, bucket)}`;
    }
  });
}
})();
