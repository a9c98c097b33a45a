// A roulette wheel seen from above. Angles in revolutions clockwise from the top, speeds in revolutions a second.

import { draw, make, say } from "./dom.js";

const RED = new Set("1 3 5 7 9 12 14 16 18 19 21 23 25 27 30 32 34 36".split(" "));
const RIM = 140, RING = 126, INNER = 96, CONE = 60, BALL = 6;
const REACH = { rim: RIM + 8, bowl: 118, pocket: 102 };

const at = (radius, turn) => [radius * Math.sin(turn * 2 * Math.PI), -radius * Math.cos(turn * 2 * Math.PI)];

function wedge(order, index) {
  const half = 0.5 / order.length;
  const middle = index / order.length;
  const [a, b] = [at(RING, middle - half), at(RING, middle + half)];
  const [c, d] = [at(INNER, middle + half), at(INNER, middle - half)];
  const colour = order[index].startsWith("0") ? "zero" : RED.has(order[index]) ? "red" : "black";
  return draw("g", {},
    draw("path", { d: `M${a}A${RING} ${RING} 0 0 1 ${b}L${c}A${INNER} ${INNER} 0 0 0 ${d}Z`, class: `pocket ${colour}` }),
    draw("text", { class: "number", transform: `rotate(${middle * 360}) translate(0 ${-RING + 14})` }, order[index]));
}

export class Wheel {
  constructor() {
    this.rotor = draw("g", {});
    this.ball = draw("circle", { r: BALL, class: "ball" });
    this.svg = draw("svg", { viewBox: "-165 -165 330 330", class: "wheel", "aria-hidden": "true" },
      draw("circle", { r: 160, class: "bowl" }), draw("circle", { r: RIM + 14, class: "track" }), this.rotor, this.ball);
    this.caption = make("p");
    this.element = make("div", {}, this.svg, this.caption);
    this.reach = REACH.rim;
    this.slip = 0;
  }

  /** The wheel as the bench has it now; `rate`: its seconds in one of ours. */
  update(seen, rate) {
    if (!this.rotor.childElementCount) {
      this.rotor.append(...seen.order.map((_, index) => wedge(seen.order, index)), draw("circle", { r: CONE, class: "cone" }),
        draw("path", { d: `M0 ${-CONE}V${CONE}M${-CONE} 0H${CONE}`, class: "spokes" }));
    }
    if (this.seen?.ball && seen.ball && this.seen.ball.place !== "pocket" && seen.ball.place === "pocket") {
      this.slip = this.shown - seen.ball.at;
      this.slip -= Math.round(this.slip);
    }
    [this.seen, this.rate, this.since] = [seen, rate, performance.now()];
    const rpm = Math.abs(seen.turns * 60);
    const rotor = rpm < 0.5 ? "rotor stands still" : `rotor ${way(seen.turns)} ${rpm.toFixed(1)} rpm`;
    const ball = !seen.ball ? "ball in hand" : seen.ball.place === "pocket" ? `ball in pocket ${seen.last}`
      : `ball ${seen.ball.place === "rim" ? "on the rim" : "in the bowl"}, ${way(seen.ball.turns)}`;
    const last = seen.last === null ? "" : `; last ${seen.last}`;
    say(this.caption, `${rotor}; ${ball}${last}${seen.says ? `; wheel says: ${seen.says}` : ""}`);
    this.ball.classList.toggle("away", !seen.ball);
  }

  /** Draws it at `now`, moved on since it was updated. */
  frame(now, still) {
    if (!this.seen) return;
    const passed = still ? 0 : ((now - this.since) / 1000) * this.rate;
    this.rotor.setAttribute("transform", `rotate(${(this.seen.rotor + this.seen.turns * passed) * 360})`);
    const ball = this.seen.ball;
    if (!ball) return;
    this.slip *= still ? 0 : 0.9;
    this.reach += (REACH[ball.place] - this.reach) * (still || ball.place === "rim" ? 1 : 0.08);
    this.shown = ball.at + ball.turns * passed;
    const [x, y] = at(this.reach, this.shown + this.slip);
    this.ball.setAttribute("transform", `translate(${x} ${y})`);
  }
}

const way = (turns) => (turns < 0 ? "counter-clockwise" : "clockwise");
