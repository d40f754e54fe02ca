// Section 5: the hypercube at work. The graph at each time, and a table of its elements.

function cube() {
  let shown = null;
  const form = document.querySelector('form[data-view="cube"]');
  const output = siblingOf(form, ".output");
  const steps = stepper("Times of the hypercube", (time) => {
    show(output.querySelector("[data-figure]"), cubeGraph(shown, time));
    show(output.querySelector("[data-table]"), cubeTable(shown, time));
    show(output.querySelector("[data-step]"), shown.times[time]);
    return shown.times[time];
  }, () => remember(bound));
  output.querySelector("[data-stepper]").append(steps.group);
  const bound = bind("cube", (view) => {
    shown = view;
    show(output.querySelector("[data-split]"),
      `e = ${view.d} q + r with q = ${view.q} and r = ${view.r}. The coordinator computes A = m^q = ${view.a} and B = m^r = ${view.b}, in ${view.coordinator} products.`);
    steps.reset(view.times.length);
  }, [
    { label: "One cube", fields: { cubes: "1", form: "optimized", n: "3233", m: "65", e: "2753" } },
    { label: "Two cubes, e = 65537", fields: { cubes: "2", form: "optimized", n: "2^61-1", m: "123456789", e: "65537" } },
    { label: "Two cubes of eight nodes", fields: { cubes: "2", form: "plain", n: "3233", m: "65", e: "2753" } },
    { label: "Four cubes", fields: { cubes: "4", form: "optimized", n: "2^127-1", m: "3", e: "2^100+7" } },
    { label: "m is not below n: refused", fields: { cubes: "1", form: "optimized", n: "3233", m: "5000", e: "2753" } },
  ], steps);
  bound.compute();
}

/** What an element does at a time. */
function stateOf(element, time) {
  if (time >= element.end) return "done";
  return time >= element.begin ? "working" : "waiting";
}

function cubeTable(view, time) {
  const state = { done: "done", working: "multiplies", waiting: "waits" };
  return table("The elements at this time",
    ["element", "label", { text: "receives", kind: "text" }, "products", { text: "state", kind: "text" }, { text: "sends", kind: "text" },
      { text: "its value mod n", kind: "text" }],
    view.elements.map((e) => {
      const now = stateOf(e, time);
      const sends = now === "done" ? e.gives || "nothing: not used" : "";
      return [`PE ${e.number}`, e.label, { text: e.takes, kind: "text" }, String(e.work), { text: state[now], kind: "text" },
        { text: sends, kind: "text" }, { text: now === "done" ? e.value : "", kind: "long" }];
    }),
    { rowKinds: view.elements.map((e) => stateOf(e, time)) });
}

/** The cubes, with the messages sent so far. */
function cubeGraph(view, time) {
  const columns = NARROW.matches ? 1 : Math.min(2, view.elements.at(-1).cube + 1);
  const [pitch, height, top, left] = [360, 330, 92, 40];
  const rows = Math.ceil((view.elements.at(-1).cube + 1) / columns);
  const place = (e) => ({ x: left + (e.cube % columns) * pitch + e.x, y: top + Math.floor(e.cube / columns) * height + e.y });
  const places = view.elements.map(place);
  const coordinator = { x: left + 75, y: 26 };
  const last = view.elements.findIndex((e) => e.number === 7);
  const out = { x: places[last].x + 84, y: places[last].y, radius: 16 };
  const links = view.links.map((link) => {
    const from = link.from === null ? coordinator : places[link.from];
    const to = link.to === null ? out : places[link.to];
    const kind = time < link.sent ? "waiting" : time === link.sent ? "now" : "sent";
    return draw("path", { class: `link ${kind}`, d: curve(from, to), "marker-end": `url(#head-${kind})` });
  });
  const nodes = view.elements.map((e, i) => {
    const state = stateOf(e, time);
    const { x, y } = places[i];
    return draw("g", { class: `node ${state}` },
      draw("circle", { cx: x, cy: y, r: 21 }),
      draw("text", { class: "name", x, y: y + 6, "text-anchor": "middle" }, String(e.number)),
      state === "done" && draw("text", { class: "gives", x, y: y + 38, "text-anchor": "middle" }, e.gives || "not used"));
  });
  const head = (kind) => draw("marker", { id: `head-${kind}`, class: `link ${kind}`, viewBox: "0 0 10 10", refX: 9, refY: 5, markerWidth: 7, markerHeight: 7, orient: "auto" },
    draw("path", { d: "M0 0 L10 5 L0 10 z" }));
  const graph = picture(columns * pitch, rows * height + 40, `The hypercube at time ${time}`, view.times[time],
    draw("defs", {}, ["waiting", "now", "sent"].map(head)),
    links, nodes,
    draw("rect", { class: "coordinator", x: coordinator.x - 68, y: 4, width: 136, height: 32, rx: 16 }),
    draw("text", { class: "name", x: coordinator.x, y: 26, "text-anchor": "middle" }, "coordinator"),
    draw("text", { class: "gives", x: out.x - 10, y: out.y + 5 }, "m^e"));
  graph.style.maxWidth = `${24 * columns}rem`;
  return graph;
}

/** An arrow between two circles; long ones are bent, to pass beside the nodes between. */
function curve(from, to) {
  const length = Math.hypot(to.x - from.x, to.y - from.y);
  const bend = length > 240 ? 46 : 0;
  const middle = { x: (from.x + to.x) / 2 + (bend * (to.y - from.y)) / length, y: (from.y + to.y) / 2 - (bend * Math.abs(to.x - from.x)) / length };
  const edge = (end, radius) => {
    const far = Math.hypot(middle.x - end.x, middle.y - end.y);
    return `${end.x + (radius * (middle.x - end.x)) / far} ${end.y + (radius * (middle.y - end.y)) / far}`;
  };
  return `M${edge(from, 22)} Q${middle.x} ${middle.y} ${edge(to, to.radius ?? 23)}`;
}
