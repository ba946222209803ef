"use strict";
const data = JSON.parse(document.getElementById("data").textContent);
const byId = (id) => document.getElementById(id);
const SVG = "http" + "://www.w3.org/2000/svg";

// ---- words

function timeText(ps) {
  const units = [[1e12, "s"], [1e9, "ms"], [1e6, "us"], [1e3, "ns"], [1, "ps"]];
  const [size, unit] = units.find(([each]) => Math.abs(ps) >= each) || [1, "ps"];
  return Number((ps / size).toPrecision(4)) + " " + unit;
}

function bytesText(bytes) {
  const units = [[2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"], [1, "B"]];
  const [size, unit] = units.find(([each]) => bytes >= each) || [1, "B"];
  return Number((bytes / size).toPrecision(4)) + " " + unit;
}

const countText = (count) => count.toLocaleString("en");

const percent = (share) => {
  const whole = 100 * share;
  if (whole > 0 && whole < 0.05) return "<0.1 %";
  return (whole > 0 && whole < 9.95 ? whole.toFixed(1) : whole.toFixed(0)) + " %";
};

// ---- elements

function make(name, attributes, ...inside) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  made.append(...inside);
  return made;
}

function draw(name, attributes, text) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (text !== undefined) made.textContent = text;
  return made;
}

function table(caption, heads, rows) {
  const head = make("tr", {}, ...heads.map((text, at) =>
    make("th", { scope: "col", class: at ? "" : "word" }, text)));
  const body = rows.map((row) => make("tr", {}, ...row.map((cell, at) =>
    at ? make("td", {}, cell) : make("th", { scope: "row" }, cell))));
  return make("div", { class: "wide" }, make("table", {}, make("caption", {}, caption),
    make("thead", {}, head), make("tbody", {}, ...body)));
}

function legend(id, pairs) {
  byId(id).replaceChildren(...pairs.map(([name, colour]) =>
    make("li", {}, make("span", { style: "background:" + colour, "aria-hidden": "true" }), name)));
}

// ---- stacked bars

function drawBars(what) {
  const svg = byId("bars");
  const { colours, labels } = data.bars;
  const stacks = data.bars[what];
  const groups = what === "ranks" ? data.bars.groups : data.bars.step_groups;
  const sum = (stack) => stack.reduce((a, b) => a + b, 0);
  const tallest = Math.max(1, ...stacks.map(sum));
  const last = groups.length ? groups[groups.length - 1][1] + 1 : 1;
  const wide = Math.max(340, svg.clientWidth);  // a unit is a pixel, so that words keep their size
  const left = 80, right = wide - 115;
  svg.setAttribute("viewBox", [0, 0, wide, 260].join(" "));
  svg.replaceChildren();
  const bar = (stack, x, width, most) => {
    let top = 230;
    stack.forEach((time, at) => {
      const height = (215 * time) / most;
      top -= height;
      svg.append(draw("rect", { x, y: top, width, height, fill: colours[at] }));
    });
  };
  stacks.forEach((stack, at) => {
    const [first, end] = groups[at];
    const unit = (right - left) / last;
    bar(stack, left + unit * first, unit * (end + 1 - first), tallest);
  });
  bar(data.bars.path, wide - 80, 60, Math.max(1, sum(data.bars.path)));
  const text = (x, y, words, anchor) =>
    svg.append(draw("text", { x, y, "font-size": 13, "text-anchor": anchor }, words));
  text(left - 5, 25, timeText(tallest), "end");
  text(left - 5, 232, "0", "end");
  text(left, 248, (what === "ranks" ? "rank " : "step ") + "0", "start");
  text(right, 248, countText(last - 1), "end");
  text(wide - 50, 248, "critical path", "middle");
  byId("bars-ranks").setAttribute("aria-pressed", what === "ranks");
  byId("bars-steps").setAttribute("aria-pressed", what === "steps");
  legend("bars-legend", labels.map((label, at) => [label, colours[at]]));
}

// ---- timeline

const ranksOfAll = data.timeline ? data.timeline.rows.length : 0;
const view = { from: 0, to: data.length || 1, rank: 0, time: 0 };
const starts = [];  // of the intervals of each rank, made when they are needed

function intervals(rank) {
  const row = data.timeline.rows[rank];
  if (data.timeline.exact) return { kinds: row[0], times: row[1] };
  const width = data.length / data.timeline.bins;
  return { kinds: row, times: Array(row.length).fill(width) };
}

function startsOf(rank) {
  if (!starts[rank]) {
    let time = 0;
    starts[rank] = intervals(rank).times.map((each) => (time += each) - each);
  }
  return starts[rank];
}

function eachInterval(rank, from, to, call) {
  const { kinds, times } = intervals(rank);
  const begins = startsOf(rank);
  let low = 0;
  for (let high = begins.length; low < high;) {
    const middle = (low + high) >> 1;
    if (begins[middle] + times[middle] <= from) low = middle + 1; else high = middle;
  }
  for (let at = low; at < begins.length && begins[at] < to; ++at)
    if (kinds[at] !== " ") call(Number(kinds[at]), begins[at], begins[at] + times[at]);
}

// The least of 1, 2 and 5 times a power of ten of which there are at most so many in a length.
function tickStep(length, most) {
  const unit = 10 ** Math.floor(Math.log10(Math.max(1, length / most)));
  return [1, 2, 5, 10].map((times) => times * unit).find((step) => step * most >= length);
}

function drawAxes() {
  const axis = byId("axis");
  const length = view.to - view.from;
  const step = tickStep(length, Math.max(2, Math.floor(axis.clientWidth / 110)));
  const ticks = [];
  for (let time = Math.ceil(view.from / step) * step; time < view.to; time += step) {
    const part = (time - view.from) / length;
    const room = 75 / axis.clientWidth;  // for the words at both ends
    if (part < room || part > 1 - room) continue;
    ticks.push(make("span", { class: "tick", style: "left:" + 100 * part + "%" }, timeText(time)));
  }
  axis.replaceChildren(make("span", {}, timeText(view.from)), ...ticks,
    make("span", {}, timeText(view.to)));
  const rankStep = tickStep(ranksOfAll, 12);
  const names = [];
  for (let rank = 0; rank < ranksOfAll; rank += rankStep) {
    const top = (100 * (rank + 0.5)) / ranksOfAll;
    names.push(make("span", { style: "top:" + top + "%" }, String(rank)));
  }
  byId("rank-axis").replaceChildren(...names);
}

function drawTimeline() {
  if (!data.timeline) return;
  const canvas = byId("timeline");
  const paper = canvas.getContext("2d");
  const { width, height } = canvas;
  const x = (time) => ((time - view.from) / (view.to - view.from)) * width;
  const tall = height / ranksOfAll;
  drawAxes();
  paper.fillStyle = "#fff";
  paper.fillRect(0, 0, width, height);
  for (let rank = 0; rank < ranksOfAll; ++rank)
    eachInterval(rank, view.from, view.to, (kind, begin, end) => {
      paper.fillStyle = data.kinds[kind][1];
      const left = Math.max(0, x(begin));
      paper.fillRect(left, rank * tall, Math.min(width, x(end)) - left, tall);
    });
  const middle = (rank) => (rank + 0.5) * tall;
  if (data.messages && byId("show-messages").checked) {
    paper.strokeStyle = "#5B4B8A";
    paper.lineWidth = 0.6;
    paper.beginPath();
    const all = data.messages;
    all.sent.forEach((sent, at) => {
      if (all.delivered[at] < view.from || sent > view.to) return;
      paper.moveTo(x(sent), middle(all.source[at]));
      paper.lineTo(x(all.delivered[at]), middle(all.target[at]));
    });
    paper.stroke();
  }
  if (byId("show-path").checked) {
    paper.strokeStyle = "#000";
    paper.lineWidth = 1.6;
    paper.beginPath();
    for (const [begin, end, rank, to] of data.path) {
      if (end < view.from || begin > view.to) continue;
      paper.moveTo(x(begin), middle(rank));
      paper.lineTo(x(end), middle(to < 0 ? rank : to));
    }
    paper.stroke();
  }
  paper.strokeStyle = "#0050a0";
  paper.lineWidth = 2;
  paper.strokeRect(1, view.rank * tall, width - 2, Math.max(2, tall));
  paper.beginPath();
  paper.moveTo(x(view.time), 0);
  paper.lineTo(x(view.time), height);
  paper.stroke();
}

const nameOf = (at) => {
  const found = data.ranks.at.indexOf(at);
  if (found < 0) return "rank " + at + " (background)";
  const several = data.ranks.job[data.ranks.job.length - 1] > 0;
  return "rank " + data.ranks.rank[found] + (several ? " of job " + data.ranks.job[found] : "");
};

function sayWhere() {
  let said = "ended";
  eachInterval(view.rank, view.time, view.time + 1, (kind, begin, end) => {
    said = data.kinds[kind][0] + " from " + timeText(begin) + " to " + timeText(end);
  });
  byId("said").textContent = nameOf(view.rank) + " at " + timeText(view.time) + ": " + said +
    ". Window: " + timeText(view.from) + " to " + timeText(view.to) + ".";
}

function moveWindow(from) {
  const width = view.to - view.from;
  view.from = Math.max(0, Math.min(data.length - width, from));
  view.to = view.from + width;
}

function zoom(factor) {
  const middle = view.time >= view.from && view.time <= view.to ? view.time
    : (view.from + view.to) / 2;
  const width = Math.min(data.length, Math.max(1000, (view.to - view.from) * factor));
  view.to = view.from + width;
  moveWindow(middle - width / 2);
  updateTimeline();
}

function shift(part) {
  const width = view.to - view.from;
  moveWindow(view.from + part * width);
  view.time = view.from + width / 2;
  updateTimeline();
}

// Moves the time by whole picoseconds, and the window if the time leaves it.
function moveTime(by) {
  const whole = Math.sign(by) * Math.max(1, Math.round(Math.abs(by)));
  view.time = Math.max(0, Math.min(data.length, view.time + whole));
  if (view.time < view.from) moveWindow(view.time);
  if (view.time > view.to) moveWindow(view.time - (view.to - view.from));
}

function updateTimeline() {
  drawTimeline();
  sayWhere();
}

function startTimeline() {
  const canvas = byId("timeline");
  legend("kinds", data.kinds);
  if (!data.timeline) {
    for (const id of ["timeline", "axis", "rank-axis", "timeline-tools", "kinds", "said"])
      byId(id).hidden = true;
    return;
  }
  canvas.addEventListener("click", (event) => {
    const box = canvas.getBoundingClientRect();
    const part = (event.clientX - box.left) / box.width;
    const row = Math.floor(((event.clientY - box.top) / box.height) * ranksOfAll);
    view.rank = Math.max(0, Math.min(ranksOfAll - 1, row));
    view.time = view.from + part * (view.to - view.from);
    updateTimeline();
    showRank(view.rank);
  });
  canvas.addEventListener("keydown", (event) => {
    const step = (view.to - view.from) / 100;
    const keys = {
      ArrowUp: () => (view.rank = Math.max(0, view.rank - 1)),
      ArrowDown: () => (view.rank = Math.min(ranksOfAll - 1, view.rank + 1)),
      ArrowLeft: () => moveTime(-step),
      ArrowRight: () => moveTime(step),
      "+": () => zoom(0.5),
      "=": () => zoom(0.5),
      "-": () => zoom(2),
      Enter: () => showRank(view.rank),
    };
    if (!keys[event.key]) return;
    event.preventDefault();
    keys[event.key]();
    updateTimeline();
  });
  byId("zoom-in").addEventListener("click", () => zoom(0.5));
  byId("zoom-out").addEventListener("click", () => zoom(2));
  byId("earlier").addEventListener("click", () => shift(-0.5));
  byId("later").addEventListener("click", () => shift(0.5));
  byId("whole").addEventListener("click", () => {
    Object.assign(view, { from: 0, to: data.length });
    updateTimeline();
  });
  for (const id of ["show-path", "show-messages"]) byId(id).addEventListener("change", drawTimeline);
  if (data.messages) byId("show-messages").checked = data.messages.sent.length <= 500;
  else byId("show-messages").disabled = true;
  drawTimeline();
}

// ---- a rank

function strip(rank) {
  const svg = draw("svg", { viewBox: "0 0 960 40", role: "img",
    "aria-label": "Timeline of " + nameOf(rank) + (data.timeline.exact
      ? "; the table below has its longest parts" : "; the table below has its times") });
  const x = (time) => (960 * time) / data.length;
  eachInterval(rank, 0, data.length, (kind, begin, end) => {
    svg.append(draw("rect", { x: x(begin), y: 0, width: Math.max(0.1, x(end) - x(begin)),
      height: 40, fill: data.kinds[kind][1] }));
  });
  return svg;
}

function longestParts(rank) {
  const parts = [];
  eachInterval(rank, 0, data.length, (kind, begin, end) => parts.push([kind, begin, end]));
  parts.sort((a, b) => b[2] - b[1] - (a[2] - a[1]) || a[1] - b[1]);
  const shown = parts.slice(0, 20).sort((a, b) => a[1] - b[1]);
  return table("Its " + shown.length + " longest of " + parts.length + " parts",
    ["part", "begins at", "lasts"],
    shown.map(([kind, begin, end]) => [data.kinds[kind][0], timeText(begin), timeText(end - begin)]));
}

function messagesOf(rank) {
  const all = data.messages;
  const mine = [];
  all.sent.forEach((sent, at) => {
    if (all.source[at] === rank || all.target[at] === rank) mine.push(at);
  });
  mine.sort((a, b) => all.delivered[b] - all.sent[b] - (all.delivered[a] - all.sent[a]) || a - b);
  const rows = mine.slice(0, 10).map((at) => [
    all.source[at] === rank ? "to " + nameOf(all.target[at]) : "from " + nameOf(all.source[at]),
    timeText(all.sent[at]), timeText(all.delivered[at] - all.sent[at]), bytesText(all.size[at])]);
  const among = all.sent.length < all.count
    ? " of those of the " + countText(all.sent.length) + " slowest messages" : " of " + mine.length;
  return table("Its " + rows.length + " slowest messages" + among,
    ["message", "sent at", "took", "size"], rows);
}

function showRank(at) {
  const found = data.ranks.at.indexOf(at);
  const shown = byId("rank-shown");
  if (found < 0) {
    shown.replaceChildren(make("p", {}, "There is no rank " + at + " with an account of its time."));
    return;
  }
  byId("rank").value = at;
  view.rank = at;
  const times = data.ranks.times[found]
    .map((time, which) => [data.ranks.categories[which], time])
    .filter(([, time]) => time > 0).sort((a, b) => b[1] - a[1]);
  const end = data.ranks.end[found];
  const inside = [make("p", {}, nameOf(at) + " on node " + data.ranks.node[found] +
    " ended at " + timeText(end) + ".")];
  if (data.timeline) inside.push(strip(at));
  const tables = make("div", { class: "side" }, table("Its time", ["time", "lasts", "of it"],
    times.map(([name, time]) => [name, timeText(time), percent(time / Math.max(1, end))])));
  if (data.timeline && data.timeline.exact) tables.append(longestParts(at));
  if (data.messages) tables.append(messagesOf(at));
  shown.replaceChildren(...inside, tables);
  drawTimeline();
}

// ---- network

const chosen = { at: -1 };
const lines = [];

function colourOf(link) {
  return data.map.classes[link[3]][1];
}

function drawMap() {
  const svg = byId("map");
  const { places, frames, links } = data.map;
  if (!frames.length) return;
  const right = Math.max(...frames.map(([, [x, , w]]) => x + w)) + 0.5;
  const low = Math.max(...frames.map(([, [, y, , h]]) => y + h)) + 0.5;
  const unit = Math.min(40, 1000 / right);
  const width = Math.max(900, (right + 1) * unit);
  svg.setAttribute("viewBox", [-unit, -unit, width, (low + 1.2) * unit].join(" "));
  for (const [name, [x, y, w, h]] of frames) {
    svg.append(draw("rect", { x: x * unit, y: y * unit, width: w * unit, height: h * unit,
      fill: "none", stroke: "#bbb" }));
    svg.append(draw("text", { x: x * unit, y: y * unit - 3, "font-size": Math.min(15, Math.max(7, unit * 0.5)),
      fill: "#555" }, name));
  }
  const most = Math.max(1e-9, ...links.map((link) => link[5]));
  links.slice().reverse().forEach((link, back) => {
    const at = links.length - 1 - back;
    const [x1, y1] = places[link[1]], [x2, y2] = places[link[2]];
    const length = Math.hypot(x2 - x1, y2 - y1) || 1;
    const side = Math.min(2, 0.06 * unit);  // the two directions of a cable stand beside each other
    const dx = (-side * (y2 - y1)) / length, dy = (side * (x2 - x1)) / length;
    const busy = link[5] / most;
    const line = draw("line", { x1: x1 * unit + dx, y1: y1 * unit + dy, x2: x2 * unit + dx,
      y2: y2 * unit + dy, stroke: colourOf(link), "stroke-width": 0.6 + 3 * busy,
      "stroke-opacity": 0.25 + 0.75 * busy, "data-link": link[0] });
    line.append(draw("title", {}, linkWords(link)));
    line.addEventListener("click", () => showLink(link));
    lines[at] = line;
    svg.append(line);
  });
  data.map.routers.forEach((router, at) => {
    const [x, y] = places[at];
    const circle = draw("circle", { cx: x * unit, cy: y * unit, r: Math.min(4, Math.max(1.2, unit * 0.12)),
      fill: "#444" });
    circle.append(draw("title", {}, "router " + router));
    svg.append(circle);
  });
}

// An end of a link: words, or the position of its router on the map.
const endWords = (end) => typeof end === "string" ? end : "router " + data.map.routers[end];

function linkWords(link) {
  const [name] = data.map.classes[link[3]];
  return "link " + link[0] + ", " + name + ", " + endWords(link[1]) + " to " + endWords(link[2]) +
    ": busy " + percent(link[5]);
}

function use(digits) {
  const svg = draw("svg", { viewBox: "0 0 960 60", role: "img",
    "aria-label": "Use of the link over the time of the run" });
  [...digits].forEach((digit, at) => svg.append(draw("rect", { x: (960 * at) / digits.length,
    y: 60 - 6.6 * Number(digit), width: 960 / digits.length, height: 6.6 * Number(digit),
    fill: "#0072B2" })));
  return svg;
}

function busyStretches(digits) {
  const width = data.length / digits.length;
  const rows = [];
  [...digits].forEach((digit, at) => {
    if (digit === "0") return;
    const last = rows[rows.length - 1];
    if (last && last[1] === at) last[1] = at + 1; else rows.push([at, at + 1]);
  });
  return rows.map(([first, end]) => timeText(first * width) + " to " + timeText(end * width));
}

function showLink(link) {
  const shown = byId("link-shown");
  if (!link) {
    shown.replaceChildren(make("p", {}, "This page has no such link."));
    return;
  }
  if (lines[chosen.at]) lines[chosen.at].classList.remove("chosen");
  const at = data.map.links.indexOf(link);
  if (at >= 0) chosen.at = at;
  if (lines[at]) lines[at].classList.add("chosen");
  byId("link").value = link[0];
  const [, , , , bytes, busy, stalled, digits, users] = link;
  const inside = [make("p", {}, linkWords(link) + " of the run, without credit " +
    percent(stalled) + ", " + bytesText(bytes) + ".")];
  if (digits) {
    inside.push(make("h3", {}, "When messages were there"), use(digits),
      make("p", {}, busyStretches(digits).join("; ") + "."));
    const pairs = users.filter((user) => user.length === 4);
    const rest = users.filter((user) => user.length === 1).map(([count]) => count)[0];
    inside.push(table("Who used it most", ["messages", "number", "bytes"], pairs.map(
      ([a, b, count, size]) => [nameOf(a) + " to " + nameOf(b), String(count), bytesText(size)])));
    if (rest) inside.push(make("p", {}, "And " + rest + " other pairs of ranks."));
  } else {
    inside.push(make("p", {}, data.map.waited ? "No rank waited for a message on it."
      : "The run kept no record of its messages."));
  }
  shown.replaceChildren(...inside);
}

function fillTable(id, links) {
  byId(id).tBodies[0].append(...links.map((link) => {
    const button = make("button", { type: "button" }, "link " + link[0]);
    button.addEventListener("click", () => showLink(link));
    const cells = [data.map.classes[link[3]][0], endWords(link[1]), endWords(link[2]),
      bytesText(link[4]), percent(link[5]), percent(link[6])];
    return make("tr", {}, make("th", { scope: "row" }, button),
      ...cells.map((cell) => make("td", {}, cell)));
  }));
}

function startMap() {
  const { links, node_links: ofNodes, left_out: out } = data.map;
  byId("map-note").textContent = countText(links.length + out) +
    " links between routers were used" +
    (out ? "; the " + countText(links.length) + " busiest of them are drawn" : "") +
    ". Width and strength of a line are its busy time. Times and pairs of ranks are of messages " +
    "that a rank waited for; bytes and busy time are of all.";
  legend("classes", data.map.classes.filter((each, at) => links.some((link) => link[3] === at)));
  drawMap();
  fillTable("busiest", links.slice(0, 50));
  fillTable("of-nodes", ofNodes);
  byId("map").addEventListener("keydown", (event) => {
    const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
    if (!step && event.key !== "Enter") return;
    event.preventDefault();
    if (links.length)
      showLink(links[Math.max(0, Math.min(links.length - 1, chosen.at + (step || 0)))]);
  });
  byId("link-form").addEventListener("submit", (event) => {
    event.preventDefault();
    const number = Number(byId("link").value);
    showLink([...links, ...ofNodes].find((link) => link[0] === number));
  });
}

byId("bars-ranks").addEventListener("click", () => drawBars("ranks"));
byId("bars-steps").addEventListener("click", () => drawBars("steps"));
window.addEventListener("resize", () => {
  drawBars(byId("bars-steps").getAttribute("aria-pressed") === "true" ? "steps" : "ranks");
  drawTimeline();
});
byId("rank-form").addEventListener("submit", (event) => {
  event.preventDefault();
  showRank(Number(byId("rank").value));
});
drawBars("ranks");
startTimeline();
startMap();
if (data.ranks.at.length) showRank(data.ranks.at[0]);
if (data.map.links.length || data.map.node_links.length)
  showLink(data.map.links[0] || data.map.node_links[0]);
