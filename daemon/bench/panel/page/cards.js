// Cards on the layout, and dice: what lies where, as far as hands and dealer put it there.

import { draw, make, say, words } from "./dom.js";

const SUITS = { S: "♠", H: "♥", D: "♦", C: "♣" };
const [WIDTH, CELL, HEIGHT, ROW] = [480, 120, 62, 86];

function card(name, x, y) {
  const known = name && name.length === 2 && SUITS[name[1]];
  const text = known ? `${name[0] === "T" ? "10" : name[0]}${SUITS[name[1]]}` : (name ?? "?");
  const red = known && "HD".includes(name[1]);
  return draw("g", { transform: `translate(${x} ${y})` },
    draw("rect", { width: 36, height: 50, rx: 4, class: "card" }),
    draw("text", { x: 18, y: 31, class: red ? "face red" : "face" }, text));
}

/** Piles by position. Dealer, banker and what belongs to nobody lie above the seats. */
export class Cards {
  constructor() {
    this.svg = draw("svg", { class: "cards", "aria-hidden": "true" });
    this.caption = make("p");
    this.element = make("div", {}, this.svg, this.caption);
    this.shown = "";
  }

  update(laid, positions = []) {
    const now = JSON.stringify([laid, positions]);
    if (now === this.shown) return;
    this.shown = now;
    const all = [...new Set([...positions.filter((each) => !each.includes("/")), ...Object.keys(laid)])];
    const seats = all.filter((each) => each.startsWith("seat"));
    const others = all.filter((each) => !each.startsWith("seat"));
    const rows = [...portions(others), ...portions(seats)];
    this.svg.setAttribute("viewBox", `0 0 ${WIDTH} ${Math.max(1, rows.length) * ROW}`);
    this.svg.replaceChildren(...rows.flatMap((row, line) => row.map((each, column) =>
      pile(each, laid[each] ?? [], (WIDTH - row.length * CELL) / 2 + column * CELL, line * ROW))));
    const told = Object.entries(laid).map(([position, pile]) => `${words(position)}: ${pile.map((each) => each ?? "?").join(" ")}`);
    say(this.caption, told.join("; ") || "no cards on the table");
  }
}

function portions(positions) {
  const rows = [];
  for (let from = 0; from < positions.length; from += 4) rows.push(positions.slice(from, from + 4));
  return rows;
}

function pile(position, cards, x, y) {
  const step = Math.min(38, cards.length > 1 ? (CELL - 46) / (cards.length - 1) : 38);
  return draw("g", { transform: `translate(${x} ${y})` },
    draw("rect", { x: 2, y: 16, width: CELL - 4, height: HEIGHT, rx: 8, class: "place" }),
    draw("text", { x: CELL / 2, y: 11, class: "position" }, words(position)),
    ...cards.map((each, index) => card(each, 5 + index * step, 22)));
}

const PIPS = { 1: [4], 2: [0, 8], 3: [0, 4, 8], 4: [0, 2, 6, 8], 5: [0, 2, 4, 6, 8], 6: [0, 2, 3, 5, 6, 8] };
const PLACES = { layout: "layout", off: "off the table", stacked: "on the other", bank: "chip bank", rail: "rail", bowl: "bowl" };

/** Dice at rest: those that went off the table lie beyond the rail. */
export class Dice {
  constructor() {
    this.svg = draw("svg", { viewBox: "0 0 320 130", class: "dice", "aria-hidden": "true" });
    this.caption = make("p");
    this.element = make("div", {}, this.svg, this.caption);
  }

  update(dice) {
    const now = JSON.stringify(dice);
    if (now === this.shown) return;
    this.shown = now;
    let [inside, outside] = [0, 0];
    this.svg.replaceChildren(
      draw("rect", { x: 4, y: 4, width: 230, height: 122, rx: 10, class: "layout" }),
      draw("text", { x: 119, y: 120, class: "position" }, "layout"),
      draw("text", { x: 278, y: 120, class: "position" }, "off the table"),
      ...dice.map((die) => (die.at === "off" ? one(die, 254, 10 + 50 * outside++) : one(die, 40 + 75 * inside++, 24))));
    const told = dice.map((die) => `${die.face ?? "unseen"} (${PLACES[die.at] ?? die.at})`);
    say(this.caption, told.length ? `dice at rest: ${told.join(", ")}` : "the shooter has the dice");
  }
}

function one(die, x, y) {
  const pips = (PIPS[die.face] ?? []).map((place) =>
    draw("circle", { cx: 11 + (place % 3) * 12, cy: 11 + Math.floor(place / 3) * 12, r: 4, class: "pip" }));
  return draw("g", { transform: `translate(${x} ${y})` },
    draw("rect", { width: 46, height: 46, rx: 8, class: "die" }), ...pips,
    die.face === null ? draw("text", { x: 23, y: 30, class: "face" }, "?") : "",
    die.at === "layout" || die.at === "off" ? "" : draw("text", { x: 23, y: 64, class: "position" }, PLACES[die.at] ?? die.at));
}
