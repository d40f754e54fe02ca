// A form, the view that it asks for, and the address that holds its state.

/** Asks WebAssembly for a view. */
function ask(view, fields) {
  try {
    return JSON.parse(wasm_bindgen.view(view, JSON.stringify(fields)));
  } catch (error) {
    const failure = document.getElementById("failure");
    failure.hidden = false;
    failure.textContent = "This page made a mistake, and may compute nothing from here on. Loading it anew helps.";
    throw error;
  }
}

const forms = [];

/**
 * Binds the form of a view: computes whenever an input changes, and shows the result with `render`, or
 * the reason why an input is refused beside that input. `steps` is the stepper of the view, if it has one.
 */
function bind(view, render, examples = [], steps = null) {
  const form = document.querySelector(`form[data-view="${view}"]`);
  const section = form.closest("section");
  const output = siblingOf(form, ".output");
  const summary = output.querySelector("[data-summary]");
  const inputs = [...form.elements].filter((element) => element.name);
  inputs.forEach((input) => prepare(input));

  const fields = () => Object.fromEntries(inputs.map((input) =>
    [input.name, input.type === "checkbox" ? (input.checked ? "on" : "") : input.value]));
  const set = (values) => {
    for (const input of inputs) {
      if (!(input.name in values)) continue;
      if (input.type === "checkbox") input.checked = values[input.name] === "on";
      else input.value = values[input.name];
    }
  };
  const compute = () => {
    const { view: result, refused } = ask(view, fields());
    inputs.forEach((input) => complain(input, ""));
    output.classList.toggle("stale", Boolean(refused));
    if (refused) {
      const named = (input) => (input.dataset.input ?? input.name) === refused.input;
      const culprit = inputs.find(named);
      if (culprit) complain(culprit, refused.message);
      summary.textContent = culprit ? "" : refused.message;
      return;
    }
    summary.textContent = result.summary;
    render(result, { output, section, fields: fields() });
  };
  const bound = { section, view, fields, set, compute, steps };
  forms.push(bound);

  let waiting = 0;
  const changed = () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => {
      compute();
      remember(bound);
    }, 120);
  };
  form.addEventListener("input", changed);
  form.addEventListener("submit", (event) => event.preventDefault());

  const place = siblingOf(form, "[data-examples]");
  if (place && examples.length) {
    show(place, el("span", { class: "label", id: `${view}-examples` }, "Try"),
      el("ul", { "aria-labelledby": `${view}-examples` }, examples.map(({ label, fields: values }) =>
        el("li", {}, el("button", {
          type: "button",
          on: { click: () => { set(values); compute(); remember(bound); } },
        }, label)))));
  }
  return bound;
}

/** The next sibling of the form that matches, up to the next form. */
function siblingOf(form, selector) {
  for (let next = form.nextElementSibling; next && !next.matches("form"); next = next.nextElementSibling) {
    if (next.matches(selector)) return next;
  }
  return null;
}

/** Gives an input its hint, and a place for the reason why it is refused. */
function prepare(input) {
  input.autocomplete = "off";
  input.spellcheck = false;
  input.autocapitalize = "off";
  const described = [];
  if (input.dataset.hint) {
    const id = `${input.id}-hint`;
    input.parentElement.append(el("p", { id, class: "hint" }, input.dataset.hint));
    described.push(id);
  }
  const id = `${input.id}-error`;
  input.parentElement.append(el("p", { id, class: "error", role: "status" }));
  described.push(id);
  input.setAttribute("aria-describedby", described.join(" "));
}

function complain(input, message) {
  const place = document.getElementById(`${input.id}-error`);
  if (place.textContent !== message) place.textContent = message;
  if (message) input.setAttribute("aria-invalid", "true");
  else input.removeAttribute("aria-invalid");
}

/** Puts the state of a form into the address, so that the address can be shared. */
function remember({ section, view, fields, steps }) {
  const step = steps && steps.at() > 0 ? { step: steps.at() + 1 } : {};
  const state = `#${section.id}?${new URLSearchParams({ view, ...fields(), ...step })}`;
  try {
    history.replaceState(null, "", state);
  } catch {
    // Some browsers refuse this for files: the page works without it.
  }
}

/** Takes the state from the address. */
function recall() {
  const [id, state] = location.hash.slice(1).split(/\?(.*)/s);
  const section = document.getElementById(id);
  if (!section || state === undefined) return;
  const { view, step, ...values } = Object.fromEntries(new URLSearchParams(state));
  const bound = forms.find((form) => form.view === view && form.section === section);
  if (!bound) return;
  bound.set(values);
  bound.compute();
  bound.steps?.to(Number.parseInt(step, 10) - 1 || 0);
  section.scrollIntoView();
}
