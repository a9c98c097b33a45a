// The three lists beside the table: wire, observations, verdicts. The newest line stands first.

import { clock, fields, make, say, words } from "./dom.js";

const KEPT = 200;
const SHAPES = { notice: "○", warning: "△", alert: "▲", critical: "■" };
const QUIET = new Set(["health", "integrity", "response", "checkpoint", "wire"]);

const time = (line) => make("time", {}, clock(line.t));

function wire(line) {
  const item = make("li", {}, time(line), make("b", {}, line.device), make("span", { class: "way", title: "from the device to the board" }, " → "));
  if (line.hex !== undefined) {
    item.append(make("code", {}, line.text), make("code", { class: "hex" }, line.hex + (line.bytes > 96 ? ` … ${line.bytes} bytes` : "")));
  } else if (line.levels) {
    item.append(`levels at the start: ${fields(line.levels)}`);
  } else if (line.line) {
    item.append(`${line.line} `, make("b", {}, line.level ? "▔ 1" : "▁ 0"));
  } else {
    item.append(`${words(line.event)} ${fields(line.data)}`);
    item.classList.add("state-change");
  }
  return item;
}

function observation(line) {
  return make("li", {}, time(line), make("b", {}, line.device), ` ${words(line.event)} `, make("span", { class: "data" }, fields(line.data)));
}

function irregularity(line) {
  const data = line.data;
  const cited = data.citation ?? {};
  return make("li", { class: `irregularity ${data.severity}` },
    make("p", {}, time(line), make("strong", {}, `${SHAPES[data.severity] ?? "▲"} ${data.severity.toUpperCase()} `), make("span", { class: "says" }, data.says ?? data.rule)),
    make("p", {}, make("code", {}, data.rule), data.round ? `  round ${data.round}` : ""),
    make("p", {}, `seen: ${fields(data.observed)}; required: ${fields(data.required)}`),
    make("p", {}, data.instruction ?? ""),
    make("p", { class: "cited" }, `${cited.document ?? ""}, section ${cited.section ?? "?"}, lines ${cited.lines ?? "?"}`));
}

function round(line) {
  const data = line.data;
  const notes = [data.void && `void: ${data.void}`, data.partial && "partly seen"].filter(Boolean).join("; ");
  return make("li", { class: "round" }, time(line), make("b", {}, `round ${data.round} `), fields(data.result) || "nothing seen", notes ? ` (${notes})` : "");
}

function other(line) {
  const data = line.data;
  if (line.type === "alert") {
    const shape = data.raised ? "▲ RAISED" : "✓ OVER";
    return make("li", { class: data.raised ? "irregularity warning" : "over" }, time(line), make("strong", {}, `${shape} `), `${words(data.condition)} (${data.device}) ${fields(data.detail)}`);
  }
  if (line.type === "device") return make("li", { class: data.state === "online" ? "" : "state-change" }, time(line), make("b", {}, data.device), ` is ${{ online: "on line", offline: "off line" }[data.state] ?? data.state}${data.reason ? `: ${data.reason}` : ""}`);
  if (line.type === "system") return make("li", {}, time(line), `daemon: ${words(data.event ?? "")}`);
  if (line.type === "statistic") return make("li", { class: "state-change" }, time(line), `statistic ${words(data.monitor)}: ${words(data.level)}`);
  if (line.type === "status") return make("li", {}, time(line), `status: ${data.state}`);
  return make("li", {}, time(line), `${line.type}: ${fields(data)}`.slice(0, 300));
}

/** The lists of one table. `states`: the last status of each table is kept there. */
export class Lists {
  constructor() {
    this.places = Object.fromEntries(["wire", "observations", "irregularities", "rounds"].map((id) => [id, document.getElementById(id)]));
    this.tables = new Map();
    this.states = new Map();
    this.held = false;
    this.missed = 0;
  }

  of(table) {
    if (!this.tables.has(table)) this.tables.set(table, { wire: [], observations: [], irregularities: [], rounds: [] });
    return this.tables.get(table);
  }

  /** New lines, oldest first; those of the table that is `shown` are drawn. */
  take(lines, more, shown) {
    const fresh = { wire: [], observations: [], irregularities: [], rounds: [] };
    for (const line of lines) {
      const made = this.made(line);
      if (!made) continue;
      const kept = this.of(line.table)[made[0]];
      kept.push(made[1]);
      if (kept.length > KEPT) kept.shift();
      if (line.table === shown) fresh[made[0]].push(made[1]);
    }
    if (more) fresh.wire.push(() => make("li", { class: "state-change" }, `… ${more} more lines came than are shown`));
    if (this.held) {
      this.missed += Object.values(fresh).reduce((sum, each) => sum + each.length, 0);
      say(document.getElementById("held"), `${this.missed} newer lines wait`);
      return;
    }
    for (const [name, place] of Object.entries(this.places)) this.put(place, fresh[name]);
  }

  made(line) {
    if (line.kind === "wire") return ["wire", () => wire(line)];
    if (line.kind === "observation") return ["observations", () => observation(line)];
    if (line.type === "irregularity") return ["irregularities", () => irregularity(line)];
    if (line.type === "round") return ["rounds", () => round(line)];
    if (line.type === "status") {
      if (this.states.get(line.table) === line.data.state) return null; // repeated every half minute
      this.states.set(line.table, line.data.state);
    }
    if (line.type === "statistic" && line.data.level === "record") return null; // counted, nothing found
    return QUIET.has(line.type) ? null : ["irregularities", () => other(line)];
  }

  put(place, fresh) {
    if (!fresh.length) return;
    place.prepend(...fresh.slice(-KEPT).reverse().map((each) => each()));
    while (place.childElementCount > KEPT) place.lastElementChild.remove();
  }

  /** Another table is shown, or the lists go on. */
  show(table) {
    this.missed = 0;
    say(document.getElementById("held"), "");
    for (const [name, place] of Object.entries(this.places)) {
      place.replaceChildren();
      this.put(place, this.of(table)[name]);
    }
  }

  hold(held, table) {
    this.held = held;
    if (!held) this.show(table);
  }

  clear() {
    this.tables.clear();
    this.states.clear();
  }
}
