// Keeps an open page up to date: replaces its parts by those the server sends, shows how long ago things were, and says
// when the server is not heard. Nothing else on these pages needs a script.
"use strict";
(() => {
  const HEARD_WITHIN = 16000; // ms: three pulses of the server and a little
  const AGAIN_AFTER = 2000;
  const body = document.body;
  const address = body.dataset.live;
  const lost = document.getElementById("lost");
  const policy = window.trustedTypes ? trustedTypes.createPolicy("pitwatch", { createHTML: (html) => html }) : null;
  let ahead = Number(body.dataset.now) * 1000 - Date.now(); // of this machine's clock
  let heard = Date.now();
  let lostSince = 0;
  let stream = "";
  let source = null;
  let again = 0;

  const clock = (ms) => new Date(ms + ahead).toTimeString().slice(0, 8);

  function age(seconds) {
    for (const [unit, size] of [["d", 86400], ["h", 3600], ["m", 60]]) {
      if (seconds >= size) return Math.floor(seconds / size) + unit;
    }
    return Math.max(Math.floor(seconds), 0) + "s";
  }

  function ages() {
    if (lostSince) return; // what is not heard does not grow older on the screen either
    for (const each of document.querySelectorAll("time[data-at]")) {
      each.dataset.ago = age((Date.now() + ahead) / 1000 - Number(each.dataset.at));
    }
  }

  function say(text) {
    lost.textContent = text;
    lost.hidden = !text;
  }

  function isLost() {
    if (!lostSince) lostSince = heard;
    body.classList.add("stale");
    say("✕ Pitwatch's web server is not heard since " + clock(lostSince) + ". What is shown is of that time. This page tries again by itself.");
  }

  function replace(parts) {
    const focus = document.activeElement;
    for (const [id, html] of Object.entries(parts)) {
      const old = document.getElementById(id);
      if (!old) continue;
      const parsed = new DOMParser().parseFromString(policy ? policy.createHTML(html) : html, "text/html");
      const fresh = parsed.getElementById(id);
      if (!fresh) continue;
      const within = old.contains(focus) ? focus : null;
      const where = within && within.getAttribute("href");
      const opened = [...old.querySelectorAll("details[open][id]")].map((each) => each.id);
      old.replaceWith(document.adoptNode(fresh));
      for (const each of opened) document.getElementById(each)?.setAttribute("open", "");
      if (within) { // the line that had the focus keeps it, wherever it is now
        const same = [...fresh.querySelectorAll("a[href], button, summary")].find((each) => where && each.getAttribute("href") === where);
        (same || (within.id && document.getElementById(within.id)))?.focus({ preventScroll: true });
      }
    }
    ages();
  }

  function take(message) {
    const told = JSON.parse(message.data);
    heard = Date.now();
    ahead = told.now * 1000 - heard;
    if (told.hello) {
      stream = told.hello.stream;
      lostSince = 0;
      body.classList.remove("stale");
      say(told.hello.cutOff ? "This page was too slow and was cut off at " + clock(told.hello.cutOff * 1000 - ahead) + ". It is up to date again." : "");
    }
    if (told.parts) replace(told.parts);
    if (told.out) {
      source.close();
      source = null;
      body.classList.add("stale");
      say("✕ You are signed out, or your rights have changed. Open the page again.");
    }
  }

  async function failed() {
    source.close();
    source = null;
    isLost();
    let told = 0;
    try {
      told = (await fetch("/signed-in", { cache: "no-store", redirect: "manual" })).status;
    } catch { /* the server is not there */ }
    if (told === 401) {
      say("✕ You are signed out. Open the page again to sign in.");
      return;
    }
    again = setTimeout(connect, AGAIN_AFTER);
  }

  function connect() {
    clearTimeout(again);
    source = new EventSource(address + (address.includes("?") ? "&" : "?") + "last=" + encodeURIComponent(stream));
    source.onmessage = take;
    source.onerror = failed;
  }

  ages();
  setInterval(ages, 1000);
  if (!address) return;
  connect();
  setInterval(() => {
    if (source && Date.now() - heard > HEARD_WITHIN) failed();
  }, 2000);
  addEventListener("pagehide", () => source?.close());
  addEventListener("pageshow", (event) => { if (event.persisted) connect(); });
})();
