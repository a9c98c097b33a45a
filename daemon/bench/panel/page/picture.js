// The table: a figure for each device, with its plug, its lamps and what moves or lies there.

import { Cards, Dice } from "./cards.js";
import { draw, make, say, words } from "./dom.js";
import { Wheel } from "./wheel.js";

const FLASH = 350; // ms that a pulse stays visible
const still = matchMedia("(prefers-reduced-motion: reduce)");

const named = (device) => (device.id === device.type ? " " : ` ${words(device.type)} `);

function plug() {
  return draw("svg", { viewBox: "0 0 40 16", class: "plug", "aria-hidden": "true" },
    draw("path", { d: "M0 8H12M28 8H40", class: "cord" }),
    draw("g", { class: "half" }, draw("rect", { x: 12, y: 2, width: 8, height: 12, rx: 2 }), draw("path", { d: "M20 5H24M20 11H24" })),
    draw("rect", { x: 24, y: 1, width: 8, height: 14, rx: 2, class: "socket" }));
}

class Figure {
  constructor(device) {
    this.device = device;
    this.lamps = new Map();
    this.state = make("span", { class: "state" });
    this.body = make("div", { class: "body" });
    this.element = make("figure", { class: `device ${device.type}` },
      make("figcaption", {}, make("b", {}, device.id), named(device), make("small", {}, device.protocol), " ", this.state),
      this.body);
    this.plug = plug();
    this.element.append(this.plug);
    if (device.type === "wheel") this.wheel = this.add(new Wheel());
    if (device.acts.some((act) => act.name === "throw")) this.dice = this.add(new Dice());
    if (device.type === "shoe" || device.type === "card_position") this.cards = this.add(new Cards());
    if (device.type !== "wheel" && device.type !== "key_reader") this.light(device.lines);
    this.sends = make("p", { class: "sends" });
    if (!device.lines.length || device.type === "key_reader") this.body.append(this.sends);
  }

  add(part) {
    this.body.append(part.element);
    return part;
  }

  light(lines) {
    const row = make("ul", { class: this.device.type === "panel" ? "keys" : "lamps" });
    for (const line of lines) {
      const lamp = make("li", {}, words(line), make("span", { class: "level" }, "off"));
      this.lamps.set(line, lamp);
      row.append(lamp);
    }
    if (lines.length) this.body.append(row);
  }

  update(seen, plugged, online, rate) {
    this.element.classList.toggle("unplugged", !plugged);
    say(this.state, !plugged ? "unplugged" : online === false ? "off line" : "plugged in");
    this.wheel?.update(seen, rate);
    this.dice?.update(seen.dice);
    if (this.cards) this.cards.update(seen.laid ?? { "from the shoe": seen.drawn ?? [] }, seen.positions);
    for (const [line, level] of Object.entries(seen.levels ?? {})) this.show(line, level === 1);
  }

  show(line, on) {
    const lamp = this.lamps.get(line);
    if (!lamp) return;
    const lit = on || performance.now() < (lamp.until ?? 0);
    lamp.classList.toggle("on", lit);
    say(lamp.lastElementChild, lit ? "on" : "off");
  }

  /** Something came over its wire: what is over in milliseconds stays visible for a moment. */
  flash(line) {
    if (line.level === 1 && this.lamps.has(line.line)) {
      this.lamps.get(line.line).until = performance.now() + FLASH;
      this.show(line.line, true);
    }
    if (line.text) say(this.sends, line.text.slice(0, 60));
    else if (line.line && this.device.type === "key_reader") say(this.sends, "pulses on d0 and d1");
  }
}

export class Picture {
  constructor(place, table) {
    this.online = {};
    this.figures = new Map(table.devices.map((device) => [device.id, new Figure(device)]));
    place.replaceChildren(...[...this.figures.values()].map((figure) => figure.element));
  }

  update(seen) {
    const rate = seen.paused ? 0 : (seen.speed ?? 0);
    for (const [id, figure] of this.figures) {
      figure.update(seen.devices[id], seen.plugged[id], this.online[id], rate);
    }
  }

  /** New lines of this table. */
  take(lines) {
    for (const line of lines) {
      if (line.kind === "wire") this.figures.get(line.device)?.flash(line);
      else if (line.event === "device_online") this.online[line.device] = true;
      else if (line.event === "device_offline") this.online[line.device] = false;
    }
  }

  frame(now) {
    for (const figure of this.figures.values()) figure.wheel?.frame(now, still.matches);
  }
}
