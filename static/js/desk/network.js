// Requests that distinguish "offline" and "signed out" from a response, and wait until both are over.

const PATIENCE = 30_000;
const PAUSE = 3_000;

export class OfflineError extends Error {}

export async function request(url, options = {}) {
  if (options.method && document.querySelector("#desk[data-preview]")) throw new OfflineError("a preview sends nothing");
  try {
    const headers = { Accept: "application/json", "X-Requested-With": "fetch" };
    const signal = options.keepalive ? undefined : AbortSignal.timeout(PATIENCE);
    const response = await fetch(url, { credentials: "same-origin", signal, ...options, headers: { ...headers, ...options.headers } });
    // A response that is not from our server (a hotel's sign-in page, a proxy's error) counts as offline.
    if (!response.headers.has("X-Request-Id")) throw new TypeError("not our server");
    const text = await response.text(); // the network can fail while the text is read
    const saved = response.headers.get("X-Answer") === "saved"; // if there is an error too, it occurred after saving
    const at = new URL(response.headers.get("Content-Location") ?? "", response.url).href; // of the page that it has
    return { ok: response.ok, status: response.status, saved, url: at, text, json: () => JSON.parse(text) };
  } catch (problem) {
    throw new OfflineError(String(problem));
  }
}

export function post(page, url, body, options = {}) {
  body.set("csrfmiddlewaretoken", page.token);
  return request(url, { method: "POST", body, ...options });
}

export function parse(text) {
  return new DOMParser().parseFromString(text, "text/html");
}

// Resolves when a retry makes sense: the browser is online again, the tab is visible, or some seconds have passed.
export function worthTrying(page, milliseconds = PAUSE) {
  return new Promise((resolve) => {
    const waiting = new AbortController();
    const signal = AbortSignal.any([waiting.signal, page.signal]);
    const done = () => {
      waiting.abort();
      clearTimeout(timer);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    window.addEventListener("online", done, { signal });
    window.addEventListener("focus", done, { signal });
  });
}

// Whether the same person is signed in; adopts the page's new token. Leaves the page if somebody else is.
export async function isBack(page) {
  let answer;
  try {
    answer = await request(page.address);
  } catch {
    return false;
  }
  if (answer.status === 401 || answer.status >= 500) return false;
  const root = answer.ok ? parse(answer.text).querySelector("#desk") : null;
  if (root?.dataset.personTag !== page.tag) {
    leave(page);
    return new Promise(() => {}); // the page is going away
  }
  page.token = root.querySelector("[name=csrfmiddlewaretoken]").value;
  return true;
}

// Somebody else is signed in, or the task is no longer ours: the draft stays under its owner's tag.
export function leave(page) {
  page.close();
  page.root.remove();
  window.location.replace(page.home);
}

export async function untilBack(page, state) {
  state.say("signed-out");
  while (!page.signal.aborted && !(await isBack(page))) await worthTrying(page);
}
