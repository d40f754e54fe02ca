// Section 7: a product as a network. A layer with the numbers that flow through it, and the layers of the paper.

function network() {
  let shown = null;
  const form = document.querySelector('form[data-view="network"]');
  const output = siblingOf(form, ".output");
  const steps = stepper("Steps through the network", (step) => {
    const { title, text } = shown.steps[step];
    show(output.querySelector("[data-figure]"), layerGraph(shown, step));
    show(output.querySelector("[data-table]"), flowTable(shown, step));
    show(output.querySelector("[data-weights]"), weightTable(shown, step));
    show(output.querySelector("[data-step]"), el("strong", {}, title), el("br"), text);
    return `${title}. ${text}`;
  }, () => remember(bound));
  output.querySelector("[data-stepper]").append(steps.group);
  const bound = bind("network", (view) => {
    shown = view;
    show(output.querySelector("[data-confirmed]"), verdict(view.confirmed, "S A leaves the same remainder as X Y modulo P", "S A leaves another remainder than X Y"));
    steps.reset(view.steps.length);
  }, [
    { label: "P = 2^31 − 1 in single precision", fields: { p: "2^31-1", kind: "f32", width: "8", x: "3^19", y: "5^13" } },
    { label: "P = 1009: two moduli are enough", fields: { p: "1009", kind: "f32", width: "", x: "700", y: "P-1" } },
    { label: "P = 2^61 − 1 in double precision", fields: { p: "2^61-1", kind: "f64", width: "", x: "3^38", y: "P-1" } },
    { label: "Channels too wide: refused", fields: { p: "2^61-1", kind: "f64", width: "30", x: "1", y: "1" } },
    { label: "In signed bytes", fields: { p: "2^61-1", kind: "s8", width: "", x: "3^38", y: "5^20" } },
  ], steps);
  bound.compute();

  const published = bind("published", (view, { output: place }) => {
    show(place.querySelector("[data-confirmed]"), verdict(view.confirmed, "The library’s own extension returns the same", "The library’s own extension returns something else"));
    show(place.querySelector("[data-table]"), table(
      `X = ${view.x}. The first neuron gives the rank, with weights of ${view.bits} bits; each other one a residue`,
      [{ text: "neuron", kind: "text" }, ...view.source.map((m, i) => ({ text: `x${i + 1} = ${view.residues[i]}, mod ${m}`, kind: "a" })),
        { text: `rank ${view.rank}`, kind: "b" }, "sum", "result"],
      [["rank", ...view.rankWeights, "", { text: `divided by 2^${view.bits}`, kind: "text" }, { text: view.rank, kind: "answer" }],
        ...view.neurons.map((neuron) => [`mod ${neuron.modulus}`, ...neuron.weights, neuron.correction, neuron.sum,
          { text: neuron.result, kind: neuron.right ? "answer" : "wrong" }])],
      { rowKinds: ["current"] }));
  }, [
    { label: "Moduli of 5 bits", fields: { source: "31, 29, 27, 25", target: "32, 23, 19, 17", x: "2" } },
    { label: "The largest number", fields: { source: "31, 29, 27, 25", target: "32, 23, 19, 17", x: "A-1" } },
    { label: "Moduli of 20 bits", fields: { source: "2^20-1, 2^20-3, 2^20-5, 2^20-9", target: "2^20-17, 2^20-27, 2^20-33", x: "3^45" } },
  ]);
  published.compute();
}

/** A number with a minus sign as long as a plus. */
function signed(text) {
  return text.replace(/^-/, "−");
}

/** The layer that a step belongs to. */
function layerOf(view, step) {
  return { index: step < 5 ? 0 : 1, layer: view.layers[step < 5 ? 0 : 1] };
}

function flowTable(view, step) {
  const rows = view.rows.filter((row) => row.step <= step);
  const cells = (values, moduli, base, row) => moduli.map((_, i) => ({
    text: values.length ? signed(values[i]) : "·",
    kind: `base ${base} ${values.length ? "" : "none"} ${row.step === step ? "now" : ""}`,
  }));
  return table(
    `The numbers so far. Modulo P = ${view.p}; channels of ${view.width} bits${view.parts > 1 ? `, digits in ${view.parts} parts` : ""}`,
    ["", ...view.a.map((m) => ({ text: m, kind: "a" })), ...view.b.map((m) => ({ text: m, kind: "b" }))],
    rows.map((row) => [row.name, ...cells(row.a, view.a, "a", row), ...cells(row.b, view.b, "b", row)]),
    {
      groups: [{ text: "", span: 1 }, { text: "Base A", span: view.a.length, kind: "a" }, { text: "Base B", span: view.b.length, kind: "b" }],
      rowKinds: rows.map((row) => (row.step === step ? "current" : "")),
    });
}

function weightTable(view, step) {
  const { index, layer } = layerOf(view, step);
  const [from, to] = index === 0 ? ["a", "b"] : ["b", "a"];
  return table(
    `The weights of layer ${index + 1}: a row for each digit, a column for each result. The last row is what a rank of 1 adds`,
    ["digit of", ...layer.to.map((m) => ({ text: `mod ${m}`, kind: to })), "rank"],
    [...layer.from.map((m, i) => [{ text: m, kind: from }, ...layer.weights[i].map(signed), `1/${m}`]),
      ["correction", ...layer.corrections.map(signed), ""]],
    { rowKinds: [...layer.from.map(() => ""), "total"] });
}

/** One layer: digits on the left, the results and the rank on the right. Wide links are large weights. */
function layerGraph(view, step) {
  const width = drawingWidth();
  const { index, layer } = layerOf(view, step);
  const [from, to] = index === 0 ? ["a", "b"] : ["b", "a"];
  const at = step - (index === 0 ? 2 : 5);
  const state = (ready) => (at < ready ? "waiting" : at === ready ? "working" : "done");
  const rows = layer.to.length + 1;
  const [top, pitch] = [40, 52];
  const height = top + rows * pitch;
  const [left, right] = [width * 0.27, width * 0.7];
  const place = (i, count) => top + pitch * (i + 0.5 + (rows - count) / 2);
  const number = (text) => shorten(signed(text));
  const digits = layer.from.map((m, i) => node(left, place(i, layer.from.length), state(0), from, "end",
    `mod ${m}`, at >= 0 ? number(layer.digits[i]) : ""));
  const value = (j) => (at >= 2 ? number(layer.results[j]) : at === 1 ? number(layer.totals[j]) : "");
  const results = layer.to.map((m, j) => node(right, place(j, rows), state(at >= 2 ? 2 : 1), to, "start", `mod ${m}`, value(j)));
  const rank = node(right, place(rows - 1, rows), state(1), "rank", "start", "rank", at >= 1 ? `${NARROW.matches ? "" : `round(${signed(layer.ratio.toFixed(3))}) = `}${signed(layer.rank)}` : "");
  const links = layer.from.flatMap((_, i) => [...layer.to, null].map((m, j) => {
    const strength = m === null ? 0.25 : Math.abs(layer.strengths[i][j]);
    return draw("line", {
      class: `weight ${m === null ? "rank" : layer.strengths[i][j] < 0 ? "minus" : "plus"} ${at >= 1 ? "live" : ""}`,
      x1: left + 14, y1: place(i, layer.from.length), x2: right - 14, y2: place(j, rows), "stroke-width": 0.6 + 3.4 * strength,
    });
  }));
  const words = at < 1 ? "The sums are not there yet." : `The rank is ${layer.rank}. ${at === 1 ? `The sums are ${layer.totals.join(", ")}.` : `The results are ${layer.results.join(", ")}.`}`;
  return picture(width, height, `Layer ${index + 1}, from ${index === 0 ? "A to B" : "B to A"}`,
    `${layer.from.length} digits, ${layer.to.length} results and a rank. ${words}`,
    draw("text", { class: "axis", x: left, y: 20, "text-anchor": "middle" }, index === 0 ? "digits in A" : "digits in B"),
    draw("text", { class: "axis", x: right, y: 20, "text-anchor": "middle" }, index === 0 ? "results in B" : "results in A"),
    links, digits, results, rank);
}

/** A neuron with its modulus and, below it, its number, on one side. */
function node(x, y, state, kind, anchor, name, value) {
  const away = anchor === "end" ? x - 20 : x + 20;
  return draw("g", { class: `node neuron ${state} ${kind}` },
    draw("circle", { cx: x, cy: y, r: 13 }),
    draw("text", { class: "note", x: away, y: y - 3, "text-anchor": anchor }, name),
    draw("text", { class: "number", x: away, y: y + 15, "text-anchor": anchor }, value));
}
