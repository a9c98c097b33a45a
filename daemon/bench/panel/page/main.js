// Puts the page together: the tables, the stream, the time.

import { get, hasToken, post, stream } from "./ask.js";
import { Controls } from "./controls.js";
import { clock, make, say } from "./dom.js";
import { Lists } from "./lists.js";
import { Picture } from "./picture.js";

const SPEEDS = [0.25, 0.5, 1, 2, 4, 8, 12, 30, 60];
const AGAIN = 2000; // ms until the bench is asked again
const by = (id) => document.getElementById(id);
const lists = new Lists();
let [tables, shown, picture, controls, seen] = [[], "", null, null, {}];

function show(table) {
  shown = table.id;
  say(by("table-name"), `${table.site}/${table.id}: ${table.game}`);
  picture = new Picture(by("figures"), table);
  controls = new Controls(by("groups"), table, by("notice"));
  for (const tab of by("tabs").children) tab.setAttribute("aria-current", tab.dataset.table === shown);
  lists.show(shown);
  if (seen[shown]) refresh();
}

function refresh() {
  const now = seen[shown];
  picture.update(now);
  controls.update(now);
  say(by("clock"), clock(now.t));
  say(by("status"), lists.states.get(shown) ?? "");
  by("pause").setAttribute("aria-pressed", now.paused);
  say(by("pause"), now.paused ? "Let time go on" : "Stop time");
  by("step").disabled = !now.paused;
  if (document.activeElement !== by("speed")) by("speed").value = String(now.speed);
  const full = now.capture_full_at;
  say(by("save"), full === null ? "Save capture" : `Save capture (full since ${clock(full)})`);
}

function take(portion) {
  seen = portion.tables;
  lists.take(portion.lines, portion.more, shown);
  picture.take(portion.lines.filter((line) => line.table === shown));
  refresh();
}

async function save() {
  try {
    const address = URL.createObjectURL(await get(`capture?table=${encodeURIComponent(shown)}`, "blob"));
    make("a", { href: address, download: `${shown}.jsonl` }).click();
    setTimeout(() => URL.revokeObjectURL(address), 60000);
    say(by("notice"), `Saved ${shown}.jsonl; replay it: pitwatch replay ${shown}.jsonl --table TABLE.toml`);
  } catch (error) {
    say(by("notice"), error.message);
  }
}

const tell = async (body) => say(by("notice"), await post("play", { table: shown, ...body }));

async function begin() {
  tables = (await get("tables")).tables;
  by("tabs").replaceChildren(...tables.map((table) =>
    make("button", { type: "button", "data-table": table.id, onclick: () => show(table) }, table.id)));
  show(tables.find((table) => table.id === shown) ?? tables[0]);
}

async function watch() {
  for (;;) {
    try {
      await begin();
      lists.clear();
      lists.show(shown);
      say(by("notice"), "");
      await stream(take);
      say(by("notice"), "The bench has ended, or this browser was too slow. Asking again.");
    } catch (error) {
      const why = error instanceof TypeError ? "the bench does not answer; it may have ended" : error.message;
      say(by("notice"), `${why}. Asking again.`);
    }
    await new Promise((resolve) => setTimeout(resolve, AGAIN));
  }
}

by("speed").append(...SPEEDS.map((speed) => make("option", { value: speed }, `${speed} ×`)));
by("speed").addEventListener("change", () => tell({ speed: Number(by("speed").value) }));
by("pause").addEventListener("click", () => tell({ paused: by("pause").getAttribute("aria-pressed") !== "true" }));
by("step").addEventListener("click", () => tell({ step: 1 }));
by("save").addEventListener("click", save);
by("hold").addEventListener("click", () => {
  const held = by("hold").getAttribute("aria-pressed") !== "true";
  by("hold").setAttribute("aria-pressed", held);
  say(by("hold"), held ? "Let the lists go on" : "Hold the lists");
  lists.hold(held, shown);
});
addEventListener("hashchange", () => location.reload());

const frame = (now) => {
  picture?.frame(now);
  requestAnimationFrame(frame);
};
requestAnimationFrame(frame);

if (hasToken) watch();
else say(by("notice"), "The token is missing: open the whole link that the bench printed, with what stands after its #.");
