// Requests that tell "no network" and "signed out" from an answer, and wait for both to pass.

const PATIENCE = 30_000;
const PAUSE = 3_000;

export class OfflineError extends Error {}

export async function request(url, options = {}) {
  try {
    const headers = { Accept: "application/json", "X-Requested-With": "fetch" };
    const signal = options.keepalive ? undefined : AbortSignal.timeout(PATIENCE);
    const response = await fetch(url, { credentials: "same-origin", signal, ...options, headers: { ...headers, ...options.headers } });
    // What is not from our server (a hotel's sign-in page, a proxy's error) is as good as no network.
    if (!response.headers.has("X-Request-Id")) throw new TypeError("not our server");
    const text = await response.text(); // the network can fail in the middle of it
    return { ok: response.ok, status: response.status, url: response.url, text, json: () => JSON.parse(text) };
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

// Resolves when it is worth trying again: the browser is back online, the tab is looked at, or some seconds passed.
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

// Whether the same person is signed in; takes over the page's new token. Leaves the page to nobody else.
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

// Somebody else is signed in here now, or the task is no longer ours: what was typed stays under its owner's tag.
export function leave(page) {
  page.close();
  page.root.remove();
  window.location.replace(page.home);
}

export async function untilBack(page, state) {
  state.say("signed-out");
  while (!page.signal.aborted && !(await isBack(page))) await worthTrying(page);
}
