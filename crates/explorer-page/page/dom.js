// Making elements. Nothing here, and nothing in the other scripts, computes with the numbers of the
// page: they come as text from WebAssembly. What is left is to place them.

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; `false` and `null` are left out. */
function el(name, attributes = {}, ...children) {
  return fill(document.createElement(name), attributes, children);
}

/** The same for an element of a drawing. */
function draw(name, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "on") {
      for (const [event, action] of Object.entries(value)) element.addEventListener(event, action);
    } else if (value !== false && value !== null && value !== undefined) {
      element.setAttribute(name, value === true ? "" : value);
    }
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== false));
  return element;
}

const NARROW = matchMedia("(max-width: 38rem)");

/** The width of wide drawings in their own units: fewer on narrow screens, so that text stays legible. */
function drawingWidth() {
  return NARROW.matches ? 360 : 720;
}

let drawings = 0;

/** A drawing with its name and a description for those who do not see it. */
function picture(width, height, title, description, ...children) {
  drawings += 1;
  const [name, text] = [`drawing-${drawings}`, `drawing-${drawings}-text`];
  return draw("svg",
    { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-labelledby": name, "aria-describedby": text },
    draw("title", { id: name }, title),
    draw("desc", { id: text }, description),
    children);
}

/**
 * A table with a caption. `columns` are the headers, the first one that of the row headers; each row is
 * a list of cells, the first one its header. A cell is text, an element, or {text, kind}, where the
 * kind is its class.
 */
function table(caption, columns, rows, { groups = null, rowKinds = [] } = {}) {
  const content = (cell) => (cell !== null && typeof cell === "object" && "text" in cell ? cell : { text: cell });
  const header = (cell, scope) => {
    const { text, kind } = content(cell);
    return text === "" ? el("td") : el("th", { scope, class: kind }, text);
  };
  const cell = (value) => {
    const { text, kind } = content(value);
    return el("td", { class: kind }, text);
  };
  return el("table", {},
    el("caption", {}, caption),
    el("thead", {},
      groups && el("tr", {}, groups.map(({ text, span, kind }) => (text === ""
        ? el("td", { colspan: span })
        : el("th", { scope: "colgroup", colspan: span, class: kind }, text)))),
      el("tr", {}, columns.map((column) => header(column, "col")))),
    el("tbody", {}, rows.map(([first, ...rest], index) =>
      el("tr", { class: rowKinds[index] }, header(first, "row"), rest.map(cell)))));
}

/** Puts `children` in place of the content, unless that would be the same. */
function show(container, ...children) {
  container.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== false));
}

/** A word that says whether something is right, with a sign that does not rest on colour. */
function verdict(right, yes, no) {
  return el("span", { class: right ? "right" : "wrong" }, right ? `✓ ${yes}` : `✗ ${no}`);
}
