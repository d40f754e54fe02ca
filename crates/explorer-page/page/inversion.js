// Section 6: an inversion. The sizes of the two remainders at each step, the last steps as a table, and the costs.

/** The steps that the table shows. */
const STEPS_SHOWN = 8;

function inversion() {
  let shown = null;
  const form = document.querySelector('form[data-view="inversion"]');
  const output = siblingOf(form, ".output");
  const steps = stepper("Steps of the inversion", (step) => {
    const { operation, text } = shown.steps[step];
    show(output.querySelector("[data-figure]"), sizesGraph(shown, step));
    show(output.querySelector("[data-table]"), inversionTable(shown, step));
    show(output.querySelector("[data-step]"), el("strong", {}, operation), el("br"), text);
    return `${operation}. ${text}`;
  }, () => remember(bound));
  output.querySelector("[data-stepper]").append(steps.group);
  const bound = bind("inversion", (view) => {
    shown = view;
    show(output.querySelector("[data-confirmed]"), view.confirmed !== null
      && verdict(view.confirmed, "A times the result leaves 1 modulo P", "A times the result does not leave 1 modulo P"));
    show(output.querySelector("[data-costs]"), costTable(view));
    steps.reset(view.steps.length);
  }, [
    { label: "P = 1009", fields: { algorithm: "btmi", p: "1009", a: "700", base: "" } },
    { label: "The same by BMI, modulo 4 alone", fields: { algorithm: "bmi", p: "1009", a: "700", base: "" } },
    { label: "P = 2^127 − 1", fields: { algorithm: "btmi", p: "2^127-1", a: "3^70", base: "" } },
    { label: "P = 2^255 − 19, the prime of Ed25519", fields: { algorithm: "btmi", p: "2^255-19", a: "2^254+1", base: "" } },
    { label: "No inverse: proved, not endless", fields: { algorithm: "btmi", p: "1009*1013", a: "1009*5", base: "" } },
    { label: "P is a multiple of 3: refused", fields: { algorithm: "btmi", p: "1011", a: "700", base: "" } },
  ], steps);
  bound.compute();
}

function inversionTable(view, step) {
  const first = Math.max(0, step - STEPS_SHOWN + 1);
  const rows = view.steps.slice(first, step + 1);
  const ternary = view.steps[0].modulo3.length > 0;
  const read = (one, at) => (ternary ? `${one.modulo4[at]}, ${one.modulo3[at]}` : String(one.modulo4[at]));
  const of = ternary ? "mod 4, 3" : "mod 4";
  return table(
    `Modulo P = ${view.p}, in the base ${view.base.join(", ")}; the Cox keeps ${view.kept} bits. Below: the last steps`,
    ["step", { text: "operation", kind: "text" }, { text: "V3", kind: "a" }, { text: of, kind: "a" }, { text: "U3", kind: "b" },
      { text: of, kind: "b" }, { text: "V1", kind: "a" }, { text: "U1", kind: "b" }],
    rows.map((one, at) => [String(first + at + 1), { text: one.operation, kind: "text" },
      ...[[one.v3, "a"], [read(one, 0), "a"], [one.u3, "b"], [read(one, 1), "b"], [one.v1, "a"], [one.u1, "b"]]
        .map(([text, base]) => ({ text: shorten(text), kind: `base ${base} ${first + at === step ? "now" : ""}` }))]),
    { rowKinds: rows.map((_, at) => (first + at === step ? "current" : "")) });
}

function costTable(view) {
  return table("The cost of this inversion in operations of channels",
    ["", "moduli", "outer loops", "inner loops", "products", "additions", { text: "time", kind: "text" }],
    view.costs.map((cost, at) => (cost.refused
      ? [cost.name, "", "", "", "", "", { text: cost.refused, kind: "text" }]
      : [cost.name, cost.channels, cost.outer, cost.inner, { text: cost.products, kind: "answer" }, cost.additions,
        { text: at === 2 ? "constant" : "depends on A", kind: "text" }])));
}

/** The bits of V3 and U3 over the steps, up to the one that is shown. */
function sizesGraph(view, step) {
  const width = drawingWidth();
  const [left, right, top, bottom] = [44, 14, 34, 190];
  const most = Math.max(...view.steps.flatMap((one) => one.sizes), 1);
  const count = Math.max(view.steps.length - 1, 1);
  const x = (at) => left + (at * (width - left - right)) / count;
  const y = (bits) => bottom - (bits * (bottom - top)) / most;
  const line = (which, kind, end) => draw("polyline", {
    class: `curve ${kind}`, points: view.steps.slice(0, end + 1).map((one, at) => `${x(at)},${y(one.sizes[which])}`).join(" "),
  });
  const { sizes, v3, u3 } = view.steps[step];
  const ticks = [0, most].map((bits) => [
    draw("line", { class: "grid", x1: left, x2: width - right, y1: y(bits), y2: y(bits) }),
    draw("text", { class: "axis", x: left - 6, y: y(bits) + 5, "text-anchor": "end" }, String(bits))]);
  return picture(width, 216, "The sizes of V3 and U3",
    `After step ${step + 1} of ${view.steps.length} V3 has ${sizes[0]} bits and U3 has ${sizes[1]} bits. V3 is ${v3}, U3 is ${u3}.`,
    ticks,
    draw("text", { class: "axis", x: left, y: 16 }, "bits"),
    draw("text", { class: "note a", x: width - right - 60, y: 16, "text-anchor": "end" }, "V3"),
    draw("text", { class: "note b", x: width - right, y: 16, "text-anchor": "end" }, "U3"),
    line(0, "a later", count), line(1, "b later", count), line(0, "a", step), line(1, "b", step),
    draw("circle", { class: "point b", cx: x(step), cy: y(sizes[1]), r: 6 }),
    draw("circle", { class: "point a", cx: x(step), cy: y(sizes[0]), r: 4 }),
    draw("text", { class: "axis", x: left, y: 212 }, "start"),
    draw("text", { class: "axis", x: width - right, y: 212, "text-anchor": "end" }, `step ${view.steps.length}`));
}
