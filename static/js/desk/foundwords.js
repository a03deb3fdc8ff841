// What was found, in words: the place of a match, and how many words both texts share.

import { gettext } from "../gettext.js";

export function whereFound(reading) {
  const count = reading.layers.found.length;
  const places = { place: reading.now + 1, count };
  if (reading.name === "document") return count ? gettext("%(place)s of %(count)s in the document", places) : gettext("no match in the document");
  return count ? gettext("%(place)s of %(count)s in the output", places) : gettext("no match in the output");
}

export function sharedWords(readings, shared) {
  const counts = { first: shared[1], second: shared[0] };
  if (readings[0].name === "document") return gettext("%(first)s words of the output, %(second)s of the document", counts);
  return gettext("%(first)s words of the document, %(second)s of the output", counts);
}
