// Section 1: residues as dials, and the number behind given residues.

function residues() {
  const form = document.querySelector('form[data-view="residues"]');
  const bound = bind("residues", (view, { output }) => {
    show(output.querySelector("[data-figure]"), view.moduli.map((modulus, i) => dial(view, modulus, i)));
    const row = (name, number) => [name, number.value, ...number.residues];
    show(output.querySelector("[data-table]"), table(
      `Residues modulo ${view.moduli.join(", ")}; M = ${view.range}`,
      ["", "number", ...view.moduli.map((m) => `mod ${m}`)],
      [row("X", view.x), row("Y", view.y), row("result", view.result)],
      { rowKinds: ["x", "y", "r"] }));
  }, [
    { label: "Sunzi’s riddle: 23", fields: { moduli: "3, 5, 7", x: "23", y: "4", operation: "+" } },
    { label: "A product that is too large", fields: { moduli: "3, 5, 7", x: "23", y: "5", operation: "*" } },
    { label: "Eight primes", fields: { moduli: "251, 241, 239, 233, 229, 227, 223, 211", x: "123456789", y: "987654321", operation: "*" } },
    { label: "Wide moduli, as in processors", fields: { moduli: "2^31-1, 2^31-19, 2^31-61, 2^31-69", x: "2^61-1", y: "2^61-2", operation: "*" } },
    { label: "6 and 9 share a factor: refused", fields: { moduli: "5, 6, 9", x: "23", y: "4", operation: "+" } },
  ]);
  bound.compute();
  counting(form, bound);

  bind("riddle", (view, { output }) => {
    const total = ["sum", "", "", "", "", view.sum];
    const answer = [`minus ${view.rank} × M`, "", "", "", "", { text: view.number, kind: "answer" }];
    show(output.querySelector("[data-table]"), table(
      `The Chinese remainder theorem; M = ${view.range}, rank ${view.rank}`,
      ["modulus m", "residue", "M/m", "its inverse mod m", "digit", "digit × M/m"],
      [...view.terms.map((t) => [t.modulus, t.residue, t.cofactor, t.inverse, t.digit, t.term]), total, answer],
      { rowKinds: [...view.terms.map(() => ""), "total", "total"] }));
  }).compute();
}

/** One channel: a dial with a hand for the result, and marks for X and Y. */
function dial(view, modulus, i) {
  const at = (number) => `rotate(${360 * number.turns[i]} 60 60)`;
  const ticks = modulus.length > 2 ? [] : Array.from({ length: Number(modulus) }, (_, k) =>
    draw("line", { class: "tick", x1: 60, y1: 10, x2: 60, y2: 16, transform: `rotate(${(360 * k) / modulus} 60 60)` }));
  const values = `X is ${view.x.residues[i]}, Y is ${view.y.residues[i]}, the result is ${view.result.residues[i]}`;
  return el("figure", { class: "dial" },
    picture(120, 120, `Modulo ${modulus}`, `${values}.`,
      draw("circle", { class: "face", cx: 60, cy: 60, r: 50 }),
      ticks,
      draw("line", { class: "hand", x1: 60, y1: 60, x2: 60, y2: 24, transform: at(view.result) }),
      draw("circle", { class: "hub", cx: 60, cy: 60, r: 4 }),
      draw("circle", { class: "mark x", cx: 60, cy: 10, r: 5.5, transform: at(view.x) }),
      draw("rect", { class: "mark y", x: 55.5, y: 5.5, width: 9, height: 9, transform: at(view.y) })),
    el("figcaption", { "aria-hidden": "true" },
      el("span", { class: "of" }, `mod ${shorten(modulus)}`), " ",
      el("strong", {}, shorten(view.result.residues[i]))));
}

/** A long number with its middle left out; the tables have it in full. */
function shorten(digits) {
  return digits.length > 12 ? `${digits.slice(0, 4)}…${digits.slice(-4)}` : digits;
}

/** The buttons that count X up and down. */
function counting(form, bound) {
  const move = (direction) => {
    const { view } = ask("count", { ...bound.fields(), direction });
    if (view) bound.set({ x: view.value });
    bound.compute();
    return Boolean(view);
  };
  const button = (name) => form.querySelector(`[data-count="${name}"]`);
  const play = button("play");
  // Read out once it stops, and not at every number.
  const summary = siblingOf(form, ".output").querySelector("[data-summary]");
  let timer = 0;
  const stop = () => {
    clearInterval(timer);
    timer = 0;
    play.setAttribute("aria-pressed", "false");
    summary.removeAttribute("aria-live");
    remember(bound);
  };
  for (const direction of ["previous", "next"]) {
    button(direction).addEventListener("click", () => { move(direction); stop(); });
  }
  play.addEventListener("click", () => {
    if (timer) {
      stop();
      return;
    }
    play.setAttribute("aria-pressed", "true");
    summary.setAttribute("aria-live", "off");
    timer = setInterval(() => { if (!move("next")) stop(); }, 700);
  });
}
