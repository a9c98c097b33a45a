// Asks the bench. The token of the link goes along as a header, so that no other page can ask.

const token = location.hash.slice(1);
const headers = { Authorization: `Bearer ${token}` };

export const hasToken = token !== "";

async function refused(answer) {
  try {
    return (await answer.json()).error;
  } catch {
    return `the bench answered ${answer.status}`;
  }
}

/** JSON below /api, or a blob. Throws an Error that says why there is none. */
export async function get(path, what = "json") {
  const answer = await fetch(`/api/${path}`, { headers });
  if (!answer.ok) throw new Error(await refused(answer));
  return answer[what]();
}

/** Has something done. Returns the sentence why it was not, or "". */
export async function post(path, body) {
  try {
    const answer = await fetch(`/api/${path}`, {
      method: "POST",
      headers: { ...headers, "Content-Type": "application/json" },
      body: JSON.stringify(body),
    });
    return answer.ok ? "" : await refused(answer);
  } catch {
    return "the bench does not answer; is it still running?";
  }
}

/** Calls `take` with each portion of the stream until it ends. Throws if it breaks off. */
export async function stream(take) {
  const answer = await fetch("/api/stream", { headers });
  if (!answer.ok) throw new Error(await refused(answer));
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let waiting = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    const events = (waiting + value).split("\n\n");
    waiting = events.pop();
    for (const event of events) take(JSON.parse(event.slice("data: ".length)));
  }
}
