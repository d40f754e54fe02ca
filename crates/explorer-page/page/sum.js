// Section 4: the sum of residues, one number at a time, and many at once.

const CURVES = [
  ["secp256k1", "secp256k1: 2^256 − 2^32 − 977"], ["edwards25519", "edwards25519: 2^255 − 19"],
  ["secp160k1", "secp160k1: 2^160 − 2^32 − 21389"], ["secp160r1", "secp160r1: 2^160 − 2^31 − 1"],
  ["secp192k1", "secp192k1: 2^192 − 2^32 − 4553"], ["secp192r1", "P-192: 2^192 − 2^64 − 1"],
  ["secp224k1", "secp224k1: 2^224 − 2^32 − 6803"], ["secp224r1", "P-224: 2^224 − 2^96 + 1"],
  ["secp384r1", "P-384: 2^384 − 2^128 − 2^96 + 2^32 − 1"], ["secp521r1", "P-521: 2^521 − 1"],
  ["secp256r1", "P-256: not for the published form"],
];

function sum() {
  for (const choice of document.querySelectorAll("#sum select[name=curve]")) {
    choice.append(...CURVES.map(([value, text]) => el("option", { value }, text)));
  }
  bind("sum", (view, { output }) => {
    const { published } = view;
    const find = (name) => output.querySelector(`[data-${name}]`);
    find("refused").hidden = Boolean(published);
    show(find("refused"), !published && [el("strong", {}, "Refused by the library: "), view.refused]);
    show(find("figure"), published && quotientLine(view));
    const wrong = published && !published.right;
    show(find("results"), table(`Z = ${view.z}, modulo p = ${view.p}`,
      ["", { text: "quotient κ", kind: "text" }, { text: "result", kind: "text" }, ""],
      [
        published && ["published form", { text: published.kappa, kind: "long" }, { text: published.result, kind: "long" },
          { text: verdict(published.right, "Z mod p", "(Z mod p) + p"), kind: "text" }],
        ["exact form", { text: view.kappa, kind: "long" }, { text: view.exact, kind: "long" },
          { text: verdict(view.exact === view.expected, "Z mod p", "wrong"), kind: "text" }],
        ["by division", "", { text: view.expected, kind: "long" }, ""],
      ].filter(Boolean), { rowKinds: wrong ? ["bad"] : [] }));
    show(find("table"), table(
      `The channels. The rank α is ${view.alpha}`,
      ["modulus", "residue of Z", "digit γ"],
      view.moduli.map((m, i) => [m, view.residues[i], view.gammas[i]])));
  }, [
    { label: "Z = 1", fields: { curve: "secp256k1", t: "", z: "1" } },
    { label: "Z = p: not zero", fields: { curve: "secp256k1", t: "", z: "p" } },
    { label: "Z = p − 1: right", fields: { curve: "secp256k1", t: "", z: "p-1" } },
    { label: "A large product", fields: { curve: "secp256k1", t: "", z: "(p-5)*(p-7)" } },
    { label: "More bits, T = 88: still p", fields: { curve: "secp256k1", t: "88", z: "3*p" } },
    { label: "P-256", fields: { curve: "secp256r1", t: "", z: "(p-5)*(p-7)" } },
    { label: "Z is too large: refused", fields: { curve: "edwards25519", t: "", z: "M-1" } },
  ]).compute();

  const form = document.querySelector('form[data-view="sample"]');
  const sample = bind("sample", (view, { output }) => {
    show(output.querySelector("[data-figure]"), sampleStrip(view));
  });
  sample.compute();
  form.querySelector("[data-again]").addEventListener("click", () => {
    const seed = form.elements.seed;
    seed.stepUp();
    sample.compute();
    remember(sample);
  });
}

/** The results on the line from 0 to 2p, and the numbers for which one p stays. */
function quotientLine(view) {
  const { published } = view;
  const width = drawingWidth();
  const [left, top] = [14, 46];
  const unit = (width - 2 * left) / 2;
  const x = (position) => left + position * unit;
  const mark = (position, kind, y) => draw("path", { class: `pointer ${kind}`, d: `M${x(position)} ${y} l-7 -13 h14 z` });
  const anchor = (position) => (position < 0.4 ? "start" : position > 1.6 ? "end" : "middle");
  const description = `From 0 to ${published.deficit.toFixed(4)} p one p stays in the published result. `
    + `Z mod p is ${view.position.toFixed(4)} p; the published result is ${published.position.toFixed(4)} p.`;
  return picture(width, 112, "Results between 0 and 2p", description,
    draw("rect", { class: "band band0", x: x(0), y: top, width: unit, height: 18 }),
    draw("rect", { class: "band band1", x: x(1), y: top, width: unit, height: 18 }),
    draw("rect", { class: "danger", x: x(0), y: top, width: Math.max(published.deficit * unit, 1.5), height: 18 }),
    ["0", "p", "2 p"].map((name, n) => draw("text", { class: "axis", x: x(n), y: 84, "text-anchor": "middle" }, name)),
    mark(view.position, "good", top),
    draw("text", { class: "note good", x: x(view.position), y: top - 18, "text-anchor": anchor(view.position) }, "Z mod p"),
    !published.right && mark(published.position, "bad", top),
    !published.right && draw("text", { class: "note bad", x: x(published.position), y: top - 18, "text-anchor": anchor(published.position) }, "published"),
    draw("text", { class: "note bad", x: x(0), y: 106 }, `below d = ${published.deficit.toFixed(4)} one p stays`));
}

/** Many products by their remainder: those with an extra p stand above the line. */
function sampleStrip(view) {
  const width = drawingWidth();
  const [left, line] = [14, 78];
  const x = (position) => left + position * (width - 2 * left);
  const tick = (point) => draw("line", {
    class: point.wrong ? "sample bad" : "sample good",
    x1: x(point.position), x2: x(point.position), y1: point.wrong ? line - 6 : line + 6, y2: point.wrong ? line - 44 : line + 26,
  });
  const bound = x(view.largestDeficit);
  return picture(width, 132, "A sample of products by Z mod p",
    `${view.summary} All with an extra p have Z mod p below ${view.largestDeficit.toFixed(4)} p.`,
    draw("line", { class: "grid", x1: left, x2: width - left, y1: line, y2: line }),
    draw("line", { class: "limit", x1: bound, x2: bound, y1: 26, y2: line + 30 }),
    draw("text", { class: "note", x: bound, y: 16, "text-anchor": view.largestDeficit > 0.5 ? "end" : "start" }, `proved: only below ${view.largestDeficit.toFixed(3)} p`),
    view.points.map(tick),
    draw("text", { class: "note bad", x: width - left, y: line - 16, "text-anchor": "end" }, "an extra p"),
    draw("text", { class: "axis", x: left, y: 126 }, "0"),
    draw("text", { class: "axis", x: width / 2, y: 126, "text-anchor": "middle" }, "Z mod p"),
    draw("text", { class: "axis", x: width - left, y: 126, "text-anchor": "end" }, "p"));
}
