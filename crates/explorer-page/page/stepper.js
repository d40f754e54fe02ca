// Buttons that go through the steps of a computation, one by one or by themselves.

/**
 * The buttons for the steps 0 to `count - 1`. `go(step)` shows a step and returns its description,
 * which is read out; `moved` is called when a reader went to another step.
 */
function stepper(name, go, moved) {
  let [count, step, timer] = [1, 0, 0];
  const status = el("p", { class: "step", role: "status" });
  const button = (text, action) => el("button", { type: "button", on: { click: action } }, text);
  const first = button("First", () => move(0));
  const previous = button("Previous", () => move(step - 1));
  const next = button("Next", () => move(step + 1));
  const play = button("Play", () => (timer ? stop() : start()));
  play.setAttribute("aria-pressed", "false");

  function to(target) {
    step = Math.min(Math.max(target, 0), count - 1);
    status.textContent = `Step ${step + 1} of ${count}: ${go(step)}`;
    // A button that is disabled loses the focus, so the ends are only marked.
    for (const [end, at] of [[first, 0], [previous, 0], [next, count - 1]]) {
      end.setAttribute("aria-disabled", String(step === at));
    }
  }
  function move(target) {
    stop();
    to(target);
    moved();
  }
  function stop() {
    clearInterval(timer);
    timer = 0;
    play.textContent = "Play";
    play.setAttribute("aria-pressed", "false");
  }
  function start() {
    if (step === count - 1) to(0);
    play.textContent = "Pause";
    play.setAttribute("aria-pressed", "true");
    timer = setInterval(() => {
      to(step + 1);
      if (step === count - 1) stop();
      moved();
    }, 2400);
  }
  const group = el("div", { class: "stepper" },
    el("div", { class: "buttons", role: "group", "aria-label": name, on: { keydown: keys } }, first, previous, next, play),
    status);
  function keys(event) {
    const moves = { ArrowLeft: -1, ArrowRight: 1 };
    if (!(event.key in moves)) return;
    event.preventDefault();
    move(step + moves[event.key]);
  }
  /** Starts anew with another number of steps, at the step where it was if there is one. */
  function reset(steps, at = step) {
    stop();
    count = steps;
    to(at);
  }
  return { group, reset, at: () => step, to };
}
