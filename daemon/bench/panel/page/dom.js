// Makes elements. Text is always text: nothing that came over a wire becomes markup.

const SVG = "http://www.w3.org/2000/svg";

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children);
  return element;
}

export const make = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
export const draw = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(SVG, name), attributes, children);

/** Changes a text only if it differs, so that a screen reader says it once. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

export const words = (name) => name.replaceAll("_", " ").replaceAll("-", " ");

/** Fields as people read them. */
export function fields(data) {
  return Object.entries(data ?? {})
    .filter(([, value]) => value !== null && value !== undefined)
    .map(([name, value]) => `${words(name)} ${told(value)}`)
    .join(", ");
}

function told(value) {
  if (value === true) return "yes";
  if (value === false) return "no";
  if (Array.isArray(value)) return value.map((each) => (each === null ? "?" : told(each))).join(" ");
  if (value !== null && typeof value === "object") return `(${fields(value)})`;
  return String(value);
}

/** `01:24.5` of seconds. */
export function clock(seconds) {
  const tenths = Math.round(seconds * 10);
  const minutes = Math.floor(tenths / 600);
  return `${String(minutes).padStart(2, "0")}:${((tenths % 600) / 10).toFixed(1).padStart(4, "0")}`;
}
