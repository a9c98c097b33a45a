// What hands can do: the dealer, the faults by name, each device and its plug.

import { post } from "./ask.js";
import { make, say, words } from "./dom.js";

function asked(ask) {
  if (ask.choices) {
    return make("label", {}, ask.label, make("select", { name: ask.name }, ...ask.choices.map((each) => make("option", {}, each))));
  }
  return make("label", {}, ask.label,
    make("input", { name: ask.name, type: "number", min: ask.low, max: ask.high, value: ask.usual, step: "any", required: true }));
}

function given(form, asks) {
  return Object.fromEntries(asks.map((ask) => [ask.name, ask.choices ? form.elements[ask.name].value : Number(form.elements[ask.name].value)]));
}

export class Controls {
  constructor(place, table, notice) {
    this.table = table;
    this.notice = notice;
    this.plays = [];
    this.switches = [];
    this.plugs = new Map();
    this.all = make("fieldset", { class: "all" }, make("legend", { class: "hidden" }, `Table ${table.id}`), this.dealer(), this.faults(), ...table.devices.map((device) => this.device(device)));
    place.replaceChildren(this.all);
  }

  async send(path, body) {
    say(this.notice, await post(path, { table: this.table.id, ...body }));
  }

  dealer() {
    this.playing = make("button", { type: "button", "aria-pressed": "true", onclick: () =>
      this.send("play", { playing: this.playing.getAttribute("aria-pressed") !== "true" }) }, "Dealer plays by himself");
    this.once = make("button", { type: "button", onclick: () => this.send("play", { rounds: 1 }) }, "Play one round");
    return make("details", { open: true }, make("summary", {}, "Dealer"), make("div", { class: "acts" }, this.playing, this.once));
  }

  faults() {
    const items = this.table.faults.map((fault) => make("li", {},
      make("button", { type: "button", onclick: () => this.send("play", { fault: fault.rule }) }, fault.rule), make("p", {}, fault.says)));
    const filter = make("input", { type: "search", "aria-label": "Find a fault", placeholder: "find a fault", oninput: () => {
      const wanted = filter.value.toLowerCase();
      for (const item of items) item.hidden = !item.textContent.toLowerCase().includes(wanted);
    } });
    return make("details", { open: true, class: "faults" }, make("summary", {}, `Faults by name (${items.length})`), filter, make("ul", {}, ...items));
  }

  device(device) {
    const plug = make("button", { type: "button", class: "plugging", onclick: () =>
      this.send("plug", { device: device.id, inserted: plug.getAttribute("data-in") !== "true" }) });
    this.plugs.set(device.id, plug);
    const acts = device.acts.map((act) => (act.switch ? this.turn(device, act) : act.asks.length ? this.form(device, act) : this.button(device, act)));
    const open = device.acts.some((act) => act.plays) || device.type === "panel";
    return make("details", { open }, make("summary", {}, make("b", {}, device.id), device.id === device.type ? "" : ` ${words(device.type)}`), make("div", { class: "acts" }, ...acts, plug));
  }

  playing_only(act, element) {
    if (act.plays) this.plays.push(element);
    return element;
  }

  button(device, act) {
    const button = make("button", { type: "button", onclick: () => this.send("act", { device: device.id, act: act.name }) }, act.label);
    return this.playing_only(act, button);
  }

  turn(device, act) {
    const button = make("button", { type: "button", role: "switch", class: "switch", "aria-checked": "false", onclick: () =>
      this.send("act", { device: device.id, act: act.name, given: { level: button.getAttribute("aria-checked") === "true" ? "0" : "1" } }) },
    make("span", {}, words(act.label)), make("span", { class: "level" }, "off"));
    this.switches.push([device.id, act.switch, button]);
    return button;
  }

  form(device, act) {
    const button = make("button", {}, act.label);
    const form = make("form", { onsubmit: (event) => {
      event.preventDefault();
      this.send("act", { device: device.id, act: act.name, given: given(form, act.asks) });
    } }, ...act.asks.map(asked), this.playing_only(act, button));
    return form;
  }

  update(seen) {
    const dealer = seen.playing || seen.dealing || seen.orders.length > 0;
    this.all.disabled = seen.in_plan;
    this.playing.setAttribute("aria-pressed", seen.playing);
    say(this.playing, seen.playing ? "Let the dealer rest: deal by hand" : "Dealer plays by himself");
    this.once.disabled = seen.playing;
    for (const each of this.plays) each.disabled = dealer;
    for (const [device, line, button] of this.switches) {
      const on = seen.devices[device].levels?.[line] === 1;
      button.setAttribute("aria-checked", on);
      say(button.lastElementChild, on ? "on" : "off");
    }
    for (const [device, button] of this.plugs) {
      button.setAttribute("data-in", seen.plugged[device]);
      say(button, seen.plugged[device] ? "Pull the plug" : "Plug it in");
    }
    say(document.getElementById("doing"), doing(seen, dealer));
  }
}

function doing(seen, dealer) {
  const waiting = seen.orders.length ? ` Waiting: ${seen.orders.join(", ")}; proper rounds come first.` : "";
  if (seen.in_plan) return `The dealer plays what was planned, round ${seen.rounds}${seen.fault ? `: ${seen.fault}` : ""}. Hands may act when that is over.`;
  if (!dealer) return "The dealer rests. Deal by hand, or play a fault by name.";
  return `The dealer plays round ${seen.rounds}${seen.fault ? `: ${seen.fault}` : ""}${seen.playing ? "" : ", then rests"}.${waiting}`;
}
