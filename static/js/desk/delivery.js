// Sends an answer until the server has said something about it, however long the network, the server or a sign-in takes.

import { gettext } from "../gettext.js";
import { isBack, OfflineError, post, untilBack, worthTrying } from "./network.js";

// With an answer the server may send the page of the next task, instead of its address for a second request.
const PAGE_AT_ONCE = { headers: { Prefer: "return=representation" } };

// `sending` has the page, its state, what is kept in this browser, the autosave and the refused answers.
export async function deliver(sending, url, body) {
  const { page, state } = sending;
  let refreshed = false;
  let saved = false;
  while (!page.signal.aborted) {
    let answer;
    try {
      if (!saved) state.say("sending");
      answer = await post(page, url, body, PAGE_AT_ONCE);
    } catch (problem) {
      if (!(problem instanceof OfflineError)) throw problem;
    }
    if (answer?.status === 401) {
      await untilBack(page, state);
    } else if (answer?.status === 403 && !refreshed) {
      refreshed = true; // the token changed with a new sign-in elsewhere
      if (!(await isBack(page))) await untilBack(page, state);
    } else if (!answer || answer.status >= 500) {
      saved ||= Boolean(answer?.saved);
      if (saved) saySaved(sending);
      else sayWhy(sending, answer);
      await worthTrying(page);
    } else {
      return answer;
    }
  }
  return new Promise(() => {}); // this page was replaced: the new one continues
}

// The answer is saved, but the next task could not be opened: the same request asks for it again.
function saySaved({ page, state, keep, autosave, refused }) {
  keep.drop("pending");
  autosave.discard();
  refused.discard();
  state.say("submitted");
  page.message(gettext("Your answer is saved. Opening the next task…"), "good");
}

function sayWhy({ page, state }, answer) {
  state.say(answer ? "broken" : "offline");
  page.message(answer ? gettext("The server is not responding. We'll send it when it does.") : gettext("You're offline. We'll send it when you reconnect."));
}
