// Section 3: a Montgomery product. A table of two bases that fills step by step.

function product() {
  let shown = null;
  const form = document.querySelector('form[data-view="product"]');
  const output = siblingOf(form, ".output");
  const steps = stepper("Steps of the product", (step) => {
    const { title, place, text } = shown.steps[step];
    show(output.querySelector("[data-table]"), productTable(shown, step));
    show(output.querySelector("[data-step]"), el("strong", {}, title), el("span", { class: "place" }, `in ${place}`), el("br"), text);
    return `${title}, in ${place}. ${text}`;
  }, () => remember(bound));
  output.querySelector("[data-stepper]").append(steps.group);
  const bound = bind("product", (view) => {
    shown = view;
    show(output.querySelector("[data-confirmed]"), verdict(view.confirmed, "The library’s own product is the same", "The library’s own product is another one"));
    show(output.querySelector("[data-figure]"), deltaLine(view));
    steps.reset(view.steps.length);
  }, [
    { label: "P = 97", fields: { p: "97", a: "", b: "", x: "95", y: "96", excess: "" } },
    { label: "A result above 2P", fields: { p: "223", a: "3, 5, 11, 13", b: "32, 31, 29", x: "3*P-1", y: "3*P-1", excess: "on" } },
    { label: "P = 2^61 − 1", fields: { p: "2^61-1", a: "", b: "", x: "3^38", y: "P-1", excess: "" } },
    { label: "P = 2^255 − 19, the prime of Ed25519", fields: { p: "2^255-19", a: "", b: "", x: "2^254+1", y: "3^160", excess: "" } },
    { label: "A is too small: refused", fields: { p: "2^20-3", a: "31, 29, 27, 25", b: "32, 23, 19, 17", x: "5", y: "7", excess: "" } },
  ], steps);
  bound.compute();
}

function productTable(view, step) {
  const rows = view.rows.filter((row) => row.step <= step);
  const cells = (residues, moduli, base, row) => moduli.map((_, i) => ({
    text: residues.length ? residues[i] : "·",
    kind: `base ${base} ${residues.length ? "" : "none"} ${row.step === step ? "now" : ""}`,
  }));
  return table(
    `Modulo P = ${view.p}. A = ${view.rangeA}, B = ${view.rangeB}`,
    ["", ...view.a.map((m) => ({ text: m, kind: "a" })), ...view.b.map((m) => ({ text: m, kind: "b" })), "the integer"],
    rows.map((row) => [row.name, ...cells(row.a, view.a, "a", row), ...cells(row.b, view.b, "b", row),
      { text: row.integer || "constant", kind: row.integer ? "" : "quiet" }]),
    {
      groups: [{ text: "", span: 1 }, { text: "Base A", span: view.a.length, kind: "a" },
        { text: "Base B", span: view.b.length, kind: "b" }, { text: "", span: 1 }],
      rowKinds: rows.map((row) => [row.constant ? "constant" : "", row.step === step ? "current" : ""].join(" ")),
    });
}

/** Where S lies between 0 and 3P. */
function deltaLine(view) {
  const width = drawingWidth();
  const left = 20;
  const length = width - 2 * left;
  const third = length / 3;
  const bands = [0, 1, 2].map((n) => draw("rect", { class: `band band${n}`, x: left + n * third, y: 30, width: third, height: 18 }));
  const names = ["0", "P", "2 P", "3 P"].map((name, n) =>
    draw("text", { class: "axis", x: left + n * third, y: 68, "text-anchor": "middle" }, name));
  const at = left + view.position * length;
  const anchor = view.position < 0.2 ? "start" : view.position > 0.8 ? "end" : "middle";
  return picture(width, 76, "The result between 0 and 3P",
    `S is ${view.reduced} plus ${view.delta} times P.`, bands, names,
    draw("path", { class: "pointer", d: `M${at} 32 l-7 -12 h14 z` }),
    draw("text", { class: "inside", x: at, y: 14, "text-anchor": anchor }, `S = ${shorten(view.reduced)} + ${view.delta} P`));
}
