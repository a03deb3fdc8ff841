// Answers that the server refused. They stay in this browser, under the person's own tag, until they are saved or the
// person discards them; the home page shows them all, to copy, send again or discard (`home.js`).

import { gettext } from "../gettext.js";
import { leave } from "./network.js";
import { answersInWords } from "./versions.js";

const WHY = {
  403: gettext("You may no longer answer this task."),
  404: gettext("This task is no longer open to you."),
  409: gettext("The task was changed in another tab, or the study is closed."),
  422: gettext("Something in the answer is missing or was not accepted."),
};

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null; // the browser refuses storage: the answer stays on its page
  }
}

export class Unsent {
  constructor(tag, place = "desk") {
    Object.assign(this, { tag, place });
  }

  // Every answer of this person, oldest first: {name, place, assignment, address, url, body, answers, words, why, at}.
  all() {
    const mine = new RegExp(`^(desk|session):${this.tag}:unsent:`);
    const names = Object.keys(storage() ?? {}).filter((name) => mine.test(name));
    const found = names.flatMap((name) => {
      try {
        return [{ ...JSON.parse(storage().getItem(name)), name }];
      } catch {
        return [];
      }
    });
    return found.sort((one, other) => one.at - other.at);
  }

  // Keep an answer; false if this browser cannot.
  add(answer) {
    const name = `${answer.place ?? this.place}:${this.tag}:unsent:${new URLSearchParams(answer.body).get("client_key")}`;
    try {
      storage().setItem(name, JSON.stringify({ at: Date.now(), ...answer, name, place: answer.place ?? this.place }));
    } catch {
      return false;
    }
    return true;
  }

  drop(name) {
    storage()?.removeItem(name);
  }
}

// Why the server refused an answer, in a sentence.
export function reasonOf(answer, document) {
  const said = document.querySelector("#desk [data-message], #desk [data-focus-first] strong")?.textContent.trim();
  if (said || answer.status !== 400) return said || WHY[answer.status] || gettext("The server refused it (%(status)s).", { status: answer.status });
  return answer.text.trim().slice(0, 200);
}

// What is kept of the answer on a page: as it is sent, as it is filled in again, and in words.
export function kept(page, body) {
  const answers = page.answers();
  return {
    assignment: page.assignment, address: page.address, url: page.form.action,
    body: body.toString(), answers, words: answersInWords(page, answers),
  };
}

// The task is no longer this person's: keep what was typed for the home page, and go there. False if it cannot be
// kept: then the page stays.
export function keepAndLeave(page, unsent, status = 404) {
  const body = new URLSearchParams(new FormData(page.form));
  const why = WHY[status];
  if (Object.keys(page.answers()).length && !unsent.add({ ...kept(page, body), why })) {
    page.message(`${why} ${gettext("Your answer was not saved: copy it before you leave this page.")}`);
    return false;
  }
  leave(page);
  return true;
}
