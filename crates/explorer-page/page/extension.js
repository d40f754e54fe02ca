// Section 2: a base extension. The Cox sum as a bar on the line of integers, and the matrix.

function extension() {
  const bound = bind("extension", (view, { output }) => {
    const find = (name) => output.querySelector(`[data-${name}]`);
    show(find("refused"), view.refused && [el("strong", {}, "Refused by the library: "), view.refused, "."]);
    find("refused").hidden = !view.refused;
    show(find("confirmed"), view.confirmed !== null && verdict(view.confirmed, "The library’s own extension returns the same", "The library’s own extension returns something else"));
    show(find("figure"), coxSum(view));
    show(find("digits"), table(
      `The digits of X = ${view.x}; A = ${view.range}`,
      ["modulus a", "residue", "constant", "digit"],
      view.digits.map((d) => [d.modulus, d.residue, d.inverse, d.digit])));
    show(find("cox"), table(
      `The Cox sum, from σ = ${view.sigma}, with ${view.kept} kept bits`,
      ["row", "value", "added", "sum", "h"],
      [...view.steps.map((s) => [s.moduli, s.value, s.added, s.sum, String(s.carry)]),
        ["rank found", "", "", "", { text: view.rank, kind: view.rank === view.trueRank ? "right" : "wrong" }],
        ["true rank", "", "", "", view.trueRank]],
      { rowKinds: [...view.steps.map(() => ""), "total", "total"] }));
    const rows = view.steps.map((step) => `from ${step.moduli}`);
    show(find("matrix"), table(
      "The matrix: each row is a channel of the target. A cell has the constant and, below it, its product with the row’s value",
      ["modulus b", ...rows, "−hA", "result", "X mod b", ""],
      view.channels.map((c) => [c.modulus,
        ...c.weights.map((weight, i) => ({ text: twoLines(weight, c.products[i]) })),
        c.correction, { text: c.result, kind: c.right ? "" : "wrong" }, c.expected,
        { text: verdict(c.right, "right", view.outcome === "allowed" ? "X + A" : "wrong"), kind: "text" }])));
  }, [
    { label: "Kawamura’s extension, exact", fields: { source: "31, 29, 27, 25", target: "32, 23, 19, 17", x: "2", columns: "1", sigma: "1/2", kept: "" } },
    { label: "The same base in rows of two: wrong", fields: { source: "31, 29, 27, 25", target: "32, 23, 19, 17", x: "2", columns: "2", sigma: "1/2", kept: "10" } },
    { label: "Moduli close to 2^20 in rows of two: exact", fields: { source: "2^20-1, 2^20-3, 2^20-5, 2^20-9", target: "2^20-17, 2^20-27, 2^20-33, 2^20-35", x: "3^45", columns: "2", sigma: "1/2", kept: "" } },
    { label: "σ = 0 and a small X: one A too much", fields: { source: "61, 62, 63", target: "59, 53, 47", x: "5", columns: "1", sigma: "0", kept: "" } },
    { label: "Too few bits kept", fields: { source: "31, 29, 27, 25", target: "32, 23, 19, 17", x: "2", columns: "1", sigma: "1/2", kept: "2" } },
  ]);
  bound.compute();
}

function twoLines(first, second) {
  return el("span", { class: "lines" }, el("span", {}, first), el("span", { class: "below" }, second));
}

/** The true sum of the digits' fractions and the Cox's, both as bars over the integers. */
function coxSum(view) {
  const width = drawingWidth();
  const [left, right] = [76, 12];
  const most = Math.max(1, view.steps.reduce((sum, step) => sum + step.trueLength, 0), view.sigmaLength + 1);
  const unit = (width - left - right) / Math.ceil(most);
  const lines = Array.from({ length: Math.ceil(most) + 1 }, (_, n) => [
    draw("line", { class: "grid", x1: left + n * unit, y1: 18, x2: left + n * unit, y2: 146 }),
    draw("text", { class: "axis", x: left + n * unit, y: 12, "text-anchor": "middle" }, String(n))]);
  const bar = (y, start, lengths, kind) => {
    let from = left + start * unit;
    return lengths.map((length, i) => {
      const piece = draw("rect", { class: `piece ${kind} ${i % 2 ? "odd" : "even"}`, x: from, y, width: length * unit, height: 34 });
      from += length * unit;
      return piece;
    });
  };
  const total = view.steps.reduce((sum, step) => sum + step.addedLength, view.sigmaLength);
  const title = `The rank: ${view.rank} found, ${view.trueRank} true`;
  const text = `The true sum of the fractions is the rank ${view.trueRank} and X divided by A. The Cox starts at ${view.sigma} `
    + `and adds ${view.steps.map((step) => step.added).join(", ")}; the integer part of its sum, ${view.rank}, is the rank that it finds.`;
  return picture(width, 152, title, text, lines,
    draw("text", { class: "label", x: 0, y: 50 }, "true sum"),
    bar(28, 0, view.steps.map((step) => step.trueLength), "true"),
    draw("text", { class: "label", x: 0, y: 116 }, "Cox"),
    draw("rect", { class: "piece sigma", x: left, y: 94, width: view.sigmaLength * unit, height: 34 }),
    view.sigmaLength > 0 && draw("text", { class: "inside", x: left + (view.sigmaLength * unit) / 2, y: 116, "text-anchor": "middle" }, "σ"),
    bar(94, view.sigmaLength, view.steps.map((step) => step.addedLength), "cox"),
    draw("line", { class: `found ${view.rank === view.trueRank ? "" : "bad"}`, x1: left + total * unit, y1: 88, x2: left + total * unit, y2: 134 }));
}
