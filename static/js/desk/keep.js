// Work that the server has not confirmed, stored in this browser under the person's own tag, so that nobody else
// who signs in here sees it. Confirmed answers are removed.

function storage() {
  try {
    return window.localStorage;
  } catch {
    return null; // the browser refuses storage: the server's draft is the only copy
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
      return false; // the storage is full: the server's copy is the only one
    }
    return true;
  }

  drop(kind, assignment) {
    storage()?.removeItem(this.name(kind, assignment));
  }

  // Other tasks of which this browser keeps something of this kind.
  others(kind) {
    const start = this.name(kind, "");
    return Object.keys(storage() ?? {})
      .filter((name) => name.startsWith(start))
      .map((name) => name.slice(start.length))
      .filter((assignment) => assignment !== this.assignment);
  }

  // Answers to other tasks that were sent but never confirmed, for example after a closed tab.
  waiting() {
    return this.others("pending");
  }

  dropOthers(kind) {
    this.others(kind).forEach((assignment) => this.drop(kind, assignment));
  }
}
