// What the server has not confirmed yet, kept on this computer under the person's own tag:
// whoever else signs in here never meets it. A confirmed answer is taken out again.

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null; // the browser keeps nothing for us: the server's draft is then the only copy
  }
}

export class Keep {
  constructor(page, place = "desk") {
    this.prefix = `${place}:${page.tag}:`;
    this.assignment = page.assignment;
  }

  name(kind, assignment = this.assignment) {
    return `${this.prefix}${kind}:${assignment}`;
  }

  read(kind, assignment) {
    try {
      return JSON.parse(storage()?.getItem(this.name(kind, assignment)) ?? "null");
    } catch {
      return null;
    }
  }

  write(kind, value) {
    try {
      storage()?.setItem(this.name(kind), JSON.stringify(value));
    } catch {
      return false; // full: the server's copy must do
    }
    return true;
  }

  drop(kind, assignment) {
    storage()?.removeItem(this.name(kind, assignment));
  }

  // Answers to other tasks that were sent off and never confirmed, as after a closed tab.
  waiting() {
    const start = this.name("pending", "");
    return Object.keys(storage() ?? {})
      .filter((name) => name.startsWith(start))
      .map((name) => name.slice(start.length))
      .filter((assignment) => assignment !== this.assignment);
  }
}
